"""``othello-env export NETWORK OUT``: write a network as an ONNX file, or as a page that plays in any browser."""

from pathlib import Path

import click

from othello_env.cli import _options as options
from othello_env.support.extras import import_extra
from othello_env.support.files import check_output, write_file

__all__ = ["command"]


@click.command("export")
@click.argument("network")
@click.argument("out", type=options.FILE)
@click.option(
    "--network",
    "function",
    metavar="FUNCTION",
    help="The function that makes a network of your own, as package.module:name or path.py:name.",
)
def command(network: str, out: Path, function: str | None) -> None:
    r"""Write NETWORK as OUT. The ending of OUT says what it is: .html or .onnx.

    \b
    .html   a page that plays in any browser, without a server, a network or an
            installation; NETWORK is an .npz file of n-tuple weights, or the name ntuple
    .onnx   a network that other programs can run; NETWORK is a .safetensors file

    In an .onnx file for boards of S x S squares, the inputs are observations (N, 2, S, S) and masks (N, actions), both
    int8. The outputs are logits (N, actions) and values (N,), both float32. It needs pip install 'othello-env[export]'.
    """
    if out.suffix not in (".html", ".onnx"):
        raise click.BadParameter(f"expected an .html or .onnx file, got {str(out)!r}", param_hint="OUT")
    if out.exists():
        raise click.BadParameter(f"{out} exists; give another name", param_hint="OUT")
    check_output(out)
    if out.suffix == ".html":
        if function is not None:
            raise click.UsageError("--network is for .onnx files")
        click.echo(_page(network, out))
    else:
        click.echo(_onnx(network, out, function))


def _page(network: str, out: Path) -> str:
    from othello_agents.ntuple import NTupleNetwork, shipped_network
    from othello_agents.ntuple.browser import browser_tables
    from othello_env.page.standalone import agent_html

    loaded = shipped_network(8) if network == "ntuple" else NTupleNetwork.load(network)
    text = agent_html(Path(network).stem, browser_tables(loaded)).encode()
    write_file(out, text)
    return f"{out}: plays {loaded.size}x{loaded.size} in any browser ({len(text) / 2**20:.1f} MiB)"


def _onnx(network: str, out: Path, function: str | None) -> str:
    for module in ("torch", "onnx"):
        import_extra(module, "export")
    from othello_agents.network import load_network

    loaded = load_network(network, function)
    loaded.export(out)
    return f"{out}: a network for {loaded.size}x{loaded.size}"
