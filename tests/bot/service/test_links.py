"""bot/service/links.py: code behind a link, only where the operator allows it."""

from __future__ import annotations

from aiohttp import web

from bot.service.links import RAW, Links


async def test_a_link_is_opened_only_where_that_is_allowed():
    """Elsewhere the card says so; what is large, gone or moved is named."""
    asked: list[str] = []

    async def page(request: web.Request) -> web.Response:
        asked.append(request.path)
        name = request.match_info["name"]
        if name == "gone":
            return web.Response(status=404)
        if name == "moved":
            raise web.HTTPFound("/raw/a")
        return web.Response(text="x" * 2_000_000 if name == "large" else "print(1)")

    app = web.Application()
    app.router.add_get("/raw/{name}", page)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    raw = dict.fromkeys(RAW, f"http://127.0.0.1:{runner.addresses[0][1]}/raw/{{path}}")
    try:
        closed = await Links((), raw).read("see https://pastebin.com/a and https://a.b/c")
        links = Links(("pastebin.com",), raw)
        files, notes = await links.read("https://pastebin.com/a https://gist.github.com/u/b")
        _, failed = await links.read(
            "https://pastebin.com/gone https://pastebin.com/large https://pastebin.com/moved"
        )
    finally:
        await runner.cleanup()

    assert closed == ([], ["I do not open links to pastebin.com here; paste the code"])
    assert [(f.name, f.data) for f in files] == [("a.txt", b"print(1)")]
    assert notes == ["I do not open links to gist.github.com here; paste the code"]
    assert asked == ["/raw/a", "/raw/gone", "/raw/large", "/raw/moved"]
    assert failed == [f"I could not fetch pastebin.com/{n}; paste the code"
                      for n in ("gone", "large", "moved")]  # fmt: skip
