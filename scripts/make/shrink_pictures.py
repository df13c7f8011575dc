"""Store the pictures of the documentation with 256 colours: a third of the size, and no visible change.

python scripts/make/shrink_pictures.py docs
"""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import tyro
from PIL import Image


@dataclass(frozen=True)
class Args:
    """The options of the command."""

    folder: tyro.conf.Positional[Path] = Path("docs")  # all .png files in it and its folders


def main(args: Args) -> None:
    for file in sorted(args.folder.rglob("*.png")):
        with Image.open(file) as picture:
            if picture.mode == "P":
                continue
            made, before = BytesIO(), file.stat().st_size
            picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(made, "PNG", optimize=True)
        file.write_bytes(made.getvalue())
        print(f"{file}: {before:,} to {made.tell():,} bytes")


if __name__ == "__main__":
    main(tyro.cli(Args, description=__doc__))
