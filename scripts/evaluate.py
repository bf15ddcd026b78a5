from pydantic import BaseModel
class Evaluate(BaseModel):
    """Do evaluate."""
    def cli_cmd(self) -> None:
        print("evaluate")
