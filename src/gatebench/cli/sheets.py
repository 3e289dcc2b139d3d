"""A report's table on a terminal."""

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gatebench.report.sheets import Sheet


def show_sheet(console: Console, sheet: Sheet, *, simulated: bool) -> None:
    """Print one, marked where a script played every role."""
    mark = "SIMULATED · " if simulated else ""
    table = Table(title=f"{mark}{escape(sheet.title)}", box=box.SIMPLE_HEAD, title_justify="left")
    first, *rest = sheet.headers
    table.add_column(first, no_wrap=True)
    for head in rest:
        table.add_column(head, justify="right")
    for row in sheet.rows:
        table.add_row(*map(escape, row))
    console.print(table)
