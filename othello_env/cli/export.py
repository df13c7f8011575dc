"""``othello-env export NETWORK OUT``: write a trained network as an ONNX file."""

from pathlib import Path

import click

from othello_env.cli import _options as options
from othello_env.support.extras import import_extra
from othello_env.support.files import check_output

__all__ = ["command"]


@click.command("export")
@click.argument("network", type=options.FILE)
@click.argument("out", type=options.FILE)
@click.option(
    "--network",
    "function",
    metavar="FUNCTION",
    help="The function that makes a network of your own, as package.module:name or path.py:name.",
)
def command(network: Path, out: Path, function: str | None) -> None:
    """Write the .safetensors file NETWORK as the .onnx file OUT, which other programs can run.

    For N positions on boards of S x S squares, the inputs are observations (N, 2, S, S) and masks (N, actions), both
    int8. The outputs are logits (N, actions) and values (N,), both float32. The command needs
    pip install 'othello-env[export]'.
    """
    for module in ("torch", "onnx"):
        import_extra(module, "export")
    from othello_agents.network import load_network

    if out.suffix != ".onnx":
        raise click.BadParameter(f"expected an .onnx file, got {str(out)!r}", param_hint="OUT")
    if out.exists():
        raise click.BadParameter(f"{out} exists; give another name", param_hint="OUT")
    check_output(out)
    loaded = load_network(network, function)
    loaded.export(out)
    click.echo(f"{out}: a network for {loaded.size}x{loaded.size}")
