from pydantic import BaseModel
class Demo(BaseModel):
    """Do demo."""
    def cli_cmd(self) -> None:
        print("demo")
