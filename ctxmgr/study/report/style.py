"""What the report's page looks like, and the few lines that show values where one points. No network, no fonts.

Nothing of a recording comes in here: both are constants. Colours of series are told apart without red and green
alone, and by their dashes, labels and titles; the palette is checked against both backgrounds by a test. A drawing
that stands alone has `COLOURS_OF_BOTH` and `DRAWINGS` of it.
"""

from ctxmgr.model import currency
from ctxmgr.study.report.plots import LETTER

LIGHT = ("#6e7781", "#b35c00", "#1a7f37", "#0969da", "#8250df", "#24292f", "#bf3989", "#0b7285")
DARK = ("#9198a1", "#f0883e", "#4ac26b", "#58a6ff", "#be8fff", "#f0f6fc", "#ff80c8", "#3bc9db")
GROUNDS = ("#ffffff", "#0d1117")


def _series(colours: tuple[str, ...]) -> str:
    return "".join(f"--s{number}:{colour};" for number, colour in enumerate(colours))


def _uses(number: int) -> str:
    return f".s{number}{{--c:var(--s{number})}}"


FONTS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif'
COLOURS_OF_BOTH = f"""
:root{{color-scheme:light dark;--ground:{GROUNDS[0]};--raised:#f6f8fa;--ink:#1f2328;--soft:#59636e;--rule:#d1d9e0;
--grid:#e6eaef;--bar:#0969da1f;{_series(LIGHT)}}}
@media (prefers-color-scheme:dark){{:root{{--ground:{GROUNDS[1]};--raised:#151b23;--ink:#f0f6fc;--soft:#9198a1;
--rule:#3d444d;--grid:#262c36;--bar:#58a6ff2e;{_series(DARK)}}}}}
{"".join(_uses(number) for number in range(len(LIGHT)))}
"""
DRAWINGS = """
svg text{font-family:inherit;fill:var(--soft);font-size:11.5px}
svg text.label{fill:var(--ink);font-weight:600;paint-order:stroke;stroke:var(--ground);
stroke-width:4px;stroke-linejoin:round}
.grid{stroke:var(--grid)}
.axis,.stub{stroke:var(--rule)}
.line{fill:none;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round}
.line.dashed{stroke-dasharray:6 4}
.ring{fill:var(--ground);stroke:var(--c);stroke-width:1.6}
.strokes{fill:none;stroke:var(--c);stroke-width:1}
.dot{fill:var(--c);stroke:var(--ground);stroke-width:1.5}
.cursor{stroke:var(--soft);stroke-dasharray:2 3;visibility:hidden}
"""

STYLE = f"""{COLOURS_OF_BOTH}{DRAWINGS}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--ground);color:var(--ink);
font:16px/1.5 {FONTS}}}
main{{max-width:1240px;margin:0 auto;padding:28px 20px 60px}}
h1{{font-size:26px;line-height:1.25;margin:0 0 6px}}
h2{{font-size:20px;line-height:1.3;margin:0 0 2px;overflow-wrap:anywhere}}
h3{{font-size:15px;margin:22px 0 6px}}
p{{margin:4px 0 12px;max-width:76ch}}
.soft,figcaption{{color:var(--soft);font-size:14px}}
section{{margin-top:44px;padding-top:22px;border-top:1px solid var(--rule)}}
nav ul,.legend{{list-style:none;margin:10px 0;padding:0;display:flex;flex-wrap:wrap;gap:4px 18px;font-size:14px}}
nav li,.legend li{{min-width:0;overflow-wrap:anywhere}}
a{{color:var(--s3)}}
.swatch{{display:inline-block;width:22px;height:0;border-top:3px solid var(--c);vertical-align:middle;
margin-right:7px}}
.swatch.dashed{{border-top-style:dashed}}
.wide{{overflow-x:auto;max-width:100%}}
table{{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;margin:8px 0 4px;min-width:100%}}
th,td{{padding:6px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--grid)}}
th:first-child{{text-align:left;padding-left:4px;position:sticky;left:0;background:var(--ground)}}
thead th{{color:var(--soft);font-weight:600;border-bottom:1px solid var(--rule);vertical-align:bottom}}
tbody th{{font-weight:600}}
tbody tr:hover{{background:var(--raised)}}
.share{{background:linear-gradient(to right,var(--bar) var(--part),transparent var(--part))}}
.plots{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:18px 28px}}
figure{{margin:14px 0 0;min-width:0;max-width:600px}}
figcaption{{margin-bottom:4px}}
figcaption b{{color:var(--ink)}}
svg.plot{{display:block;width:100%;height:auto}}
@media (max-width:600px){{main{{padding:18px 12px 40px}}svg text{{font-size:{LETTER}px}}}}
details{{margin:14px 0}}
summary{{cursor:pointer;font-size:14px}}
.receipts{{font:13px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding-left:3.2em}}
.receipts li{{overflow-wrap:anywhere;margin:3px 0}}
#tip{{position:fixed;z-index:2;pointer-events:none;display:none;background:var(--raised);color:var(--ink);
border:1px solid var(--rule);border-radius:6px;padding:6px 10px;font-size:13px;line-height:1.45;white-space:pre;
font-variant-numeric:tabular-nums;box-shadow:0 2px 10px #0003}}
@media print{{section{{break-inside:avoid}}}}
"""

# Reads values off the drawn lines: nothing is written twice into the page.
SCRIPT = """
"use strict";
(function () {
  var tip = document.getElementById("tip");
  function written(value, unit) {
    if (unit.indexOf(CURRENCY_SIGN) >= 0) return CURRENCY_SIGN + value.toFixed(2);
    return Math.round(value).toLocaleString("en");
  }
  document.querySelectorAll('svg.plot[data-kind="over"]').forEach(function (plot) {
    var frame = plot.dataset, lines = [];
    var left = +frame.left, right = +frame.right, top = +frame.top, bottom = +frame.bottom;
    plot.querySelectorAll("polyline[data-name]").forEach(function (line) {
      var pairs = line.getAttribute("points").split(" ");
      lines.push({
        name: line.dataset.name,
        points: pairs.map(function (pair) { return pair.split(",").map(Number); })
      });
    });
    var cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
    cursor.setAttribute("class", "cursor");
    cursor.setAttribute("y1", top);
    cursor.setAttribute("y2", bottom);
    plot.insertBefore(cursor, plot.firstChild);
    plot.addEventListener("pointermove", function (event) {
      var box = plot.getBoundingClientRect();
      var x = (event.clientX - box.left) * plot.viewBox.baseVal.width / box.width;
      if (x < left || x > right) return leave();
      var call = Math.round((x - left) / (right - left) * frame.calls);
      var rows = lines.map(function (line) {
        var near = line.points.reduce(function (a, b) { return Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a; });
        return [line.name, (bottom - near[1]) / (bottom - top) * frame.high];
      }).sort(function (a, b) { return b[1] - a[1]; });
      tip.textContent = ["call " + call].concat(rows.map(function (row) {
        return row[0] + "  " + written(row[1], frame.unit);
      })).join("\\n");
      tip.style.display = "block";
      var wide = tip.offsetWidth, high = tip.offsetHeight;
      tip.style.left = Math.max(4, Math.min(event.clientX + 16, window.innerWidth - wide - 8)) + "px";
      tip.style.top = Math.max(4, Math.min(event.clientY + 16, window.innerHeight - high - 8)) + "px";
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.style.visibility = "visible";
    });
    function leave() {
      tip.style.display = "none";
      cursor.style.visibility = "hidden";
    }
    plot.addEventListener("pointerleave", leave);
  });
})();
""".replace("CURRENCY_SIGN", f'"{currency.SIGN}"')
