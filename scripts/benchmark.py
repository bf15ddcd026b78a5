from pydantic import BaseModel
class Benchmark(BaseModel):
    """Do benchmark."""
    def cli_cmd(self) -> None:
        print("benchmark")
