"""A picture of a page as a browser shows it: ``python -m tools.screenshot PAGE PICTURE [--width N] [--dark] [--full]``.

PAGE is a file, with an optional part after ``#``, or an address. It needs playwright and a Chromium of the system, or
one that the variable ``CHROMIUM`` names.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

__all__ = ["address_of", "screenshot"]


def address_of(page: str) -> str:
    """The address of a page that may be a file.

    >>> address_of("http://127.0.0.1:8000/#cases")
    'http://127.0.0.1:8000/#cases'
    >>> address_of("/data/report.html#cases-compare")
    'file:///data/report.html#cases-compare'
    """
    if "://" in page:
        return page
    path, mark, place = page.partition("#")
    return Path(path).resolve().as_uri() + mark + place


def screenshot(
    page: str, picture: Path, *, width: int = 1280, height: int = 900, dark: bool = False, full: bool = False
) -> None:
    """Open a page in a window of this size, and write what is seen, or with ``full`` the page to its end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        system = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=system, args=["--no-sandbox"])
        window = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light")
        window.goto(address_of(page))
        window.wait_for_timeout(300)  # scripts of the page have drawn by then
        window.screenshot(path=picture, full_page=full)
        browser.close()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshot")
    parser.add_argument("page", help="file or address")
    parser.add_argument("picture", type=Path, help="PNG file to write")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--full", action="store_true", help="the whole page, not only the window")
    options = parser.parse_args()
    screenshot(
        options.page, options.picture, width=options.width, height=options.height, dark=options.dark, full=options.full
    )


if __name__ == "__main__":
    main()
