#!/usr/bin/env node
// Plots of a report's page as PNG files, for the docs:
//
//   tools/page-figures.mjs PAGE.html OUT-PREFIX PLOT…
//
// PLOT is a data-plot name of the page (accuracy, loss, dispersion, …), with
// @AXIS for another x axis than epochs (accuracy@bytes). Needs a build (its
// npm packages) and chromium.
import path from "node:path";
import { pathToFileURL } from "node:url";

const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "..");
const { chromium } = await import(
  pathToFileURL(path.join(root, "build/web/node_modules/playwright-core/index.mjs")).href
);

const [page_file, prefix, ...plots] = process.argv.slice(2);
if (!page_file || !prefix || plots.length === 0) {
  console.error("usage: tools/page-figures.mjs PAGE.html OUT-PREFIX PLOT…");
  process.exit(2);
}

const browser = await chromium.launch({
  executablePath: process.env.GV_CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage({
  viewport: { width: 1300, height: 900 },
  colorScheme: "light",
});
await page.goto(pathToFileURL(path.resolve(page_file)).href);
for (const plot of plots) {
  const [name, axis = "epochs"] = plot.split("@");
  await page.getByRole("button", { name: axis, exact: true }).first().click();
  const card = page.locator(`[data-plot="${name}"]`).first();
  await card.scrollIntoViewIfNeeded();
  await page.waitForTimeout(800); // drawn when it comes into view
  const file = `${prefix}-${plot.replace("@", "-")}.png`;
  await card.screenshot({ path: file });
  console.log(file);
}
await browser.close();
