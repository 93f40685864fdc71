"""A game as a film: an animated GIF, or one HTML page that needs nothing else, a picture a ply."""

import base64
import html
import io
from collections.abc import Sequence

from PIL import Image

from stonezero.pictures.boards import Picture, move_caption, picture_file

FRAME_MILLISECONDS = 900
LAST_FRAME_MILLISECONDS = 4000
COLORS = 96  #: of a GIF frame

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 1rem auto; max-width: 100rem; padding: 0 1rem; font: 16px/1.4 system-ui, sans-serif;
  color: #1b1d1f; background: #fbfaf8 }}
img {{ max-width: 100%; height: auto }} input {{ width: min(40rem, 100%) }} button {{ font: inherit }}
@media (prefers-color-scheme: dark) {{ body {{ color: #e8e6e1; background: #1b1d1f }} }}
</style>
<h1>{title}</h1>
<p><button id="back" aria-label="one ply back">&larr;</button>
<button id="on" aria-label="one ply on">&rarr;</button>
<label>ply <output id="number">0</output>
<input id="ply" type="range" min="0" max="{last}" value="0"></label></p>
<p id="caption"></p>
<img id="picture" alt="the board and what the search says of it">
<script>
const pictures = {pictures};
const captions = {captions};
const slider = document.getElementById("ply");
function show(ply) {{
  slider.value = Math.min(Math.max(ply, 0), pictures.length - 1);
  document.getElementById("number").value = slider.value;
  document.getElementById("picture").src = "data:image/png;base64," + pictures[slider.value];
  document.getElementById("caption").textContent = captions[slider.value];
}}
slider.addEventListener("input", () => show(Number(slider.value)));
document.getElementById("back").addEventListener("click", () => show(Number(slider.value) - 1));
document.getElementById("on").addEventListener("click", () => show(Number(slider.value) + 1));
document.addEventListener("keydown", (event) => {{
  if (event.target === slider) return;
  if (event.key === "ArrowLeft") show(Number(slider.value) - 1);
  if (event.key === "ArrowRight") show(Number(slider.value) + 1);
}});
show(0);
</script>
</html>
"""


def gif(pictures: Sequence[Picture], layers: Sequence[str]) -> bytes:
    """The film as an animated GIF that repeats."""
    frames = []
    for picture in pictures:
        image = Image.open(io.BytesIO(picture_file(picture, layers, "png"))).convert("RGB")
        frames.append(image.quantize(COLORS, dither=Image.Dither.NONE))
    durations = [FRAME_MILLISECONDS] * (len(frames) - 1) + [LAST_FRAME_MILLISECONDS]
    out = io.BytesIO()
    frames[0].save(
        out, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=False
    )
    return out.getvalue()


def page(pictures: Sequence[Picture], layers: Sequence[str], title: str) -> bytes:
    """The film as a page with a slider; arrow keys step through it."""
    files = [base64.b64encode(picture_file(picture, layers, "png")).decode() for picture in pictures]
    captions = [move_caption(picture.board) or "start" for picture in pictures]
    text = PAGE.format(
        title=html.escape(title), last=len(files) - 1, pictures=repr(files), captions=repr(captions)
    )
    return text.encode()
