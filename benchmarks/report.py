"""How every benchmark reports: a JSON file of rows and a table, ratios first."""

import json
import platform
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


def print_report(name: str, rows: list[dict[str, Any]], folder: Path = Path("reports/benchmarks")) -> None:
    """Print `rows` as a table and as JSON, and write the JSON to folder/name.json."""
    table = Table(title=f"{name} on {platform.machine()}, Python {platform.python_version()}")
    for column in rows[0]:
        table.add_column(column.replace("_", " "), justify="left" if column == "board" else "right")
    for row in rows:
        table.add_row(
            *(f"{value:,.3f}" if isinstance(value, float) else str(value) for value in row.values())
        )
    Console().print(table)
    text = json.dumps({"benchmark": name, "rows": rows}, indent=1)
    print(text)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(text + "\n")
