// node build.mjs OUT.html: the page's template. Style and script are inlined,
// so the page needs no network; the data takes the place of the placeholder
// __GRAPEVINE_DATA__.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2020"],
    legalComments: "none",
    charset: "utf8",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
  });
  return result.outputFiles[0].text;
}

// A function as the replacement: in a string, "$&" would mean something.
function fill(text, placeholder, value) {
  if (text.split(placeholder).length !== 2) {
    throw new Error(`index.html must have ${placeholder} once`);
  }
  return text.replace(placeholder, () => value);
}

export async function make_template() {
  const script = await bundle("main.ts");
  const style = await bundle("style.css");
  // Inside a script element, only these would end or confuse it.
  const safe = script
    .replaceAll("</script", "<\\/script")
    .replaceAll("<!--", "<\\!--");
  let page = readFileSync(join(here, "src", "index.html"), "utf8");
  page = fill(page, "/*STYLE*/", style.trim());
  page = fill(page, "/*SCRIPT*/", safe.trim());
  if (page.split("__GRAPEVINE_DATA__").length !== 2) {
    throw new Error("the page must have its data's placeholder once");
  }
  return page;
}

const out = process.argv[2];
if (!out) {
  console.error("usage: node build.mjs OUT.html");
  process.exit(2);
}
const page = await make_template();
mkdirSync(dirname(resolve(out)), { recursive: true });
writeFileSync(`${out}.tmp`, page);
renameSync(`${out}.tmp`, out);
