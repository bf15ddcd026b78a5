"""The examples in docs/serve.md run as pasted, against a server on another port."""

import shutil
import sys
from pathlib import Path

import pytest

from ..test_docs import BLOCK, ROOT
from ..test_packaging import run
from .server_helpers import serving

PAGE = (ROOT / "docs" / "serve.md").read_text()


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl")
def test_the_examples_run(tmp_path):
    blocks = BLOCK.findall(PAGE)
    shell = "\n".join(code for language, code in blocks if language == "sh")
    programs = [code for language, code in blocks if language == "python"]
    assert len(programs) == 2
    with serving(tmp_path / "games.sqlite") as (_, calls):
        here = f"localhost:{calls.base_url.port}"
        printed = run("sh", "-ec", shell.replace("localhost:8000", here), cwd=tmp_path)
        for word in ('"to_act":0', '"view":{', '"probability"', '{"record": 1', "event: move"):
            assert word in printed
        assert '"detail"' not in printed
        for program in programs:
            Path(tmp_path / "example.py").write_text(program.replace("localhost:8000", here))
            assert run(sys.executable, "-W", "error", "example.py", cwd=tmp_path)
