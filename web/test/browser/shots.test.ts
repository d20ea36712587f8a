// Pictures for people to look at, into the directory GV_SHOTS; not made
// without it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import * as fixture from "../fixture";
import { plan_page } from "../plan_fixture";
import type { Page } from "playwright-core";
import { Browser } from "./browser";

const directory = process.env["GV_SHOTS"] ?? "";

/** The whole page in pieces that a viewer shows unscaled. */
async function slices(page: Page, name: string): Promise<void> {
  const size = await page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    height: document.documentElement.scrollHeight,
  }));
  const tall = 1100;
  for (let top = 0; top < size.height; top += tall) {
    await page.screenshot({
      path: join(
        directory,
        `${name}-${String(top / tall + 1).padStart(2, "0")}.png`,
      ),
      fullPage: true,
      clip: {
        x: 0,
        y: top,
        width: size.width,
        height: Math.min(tall, size.height - top),
      },
    });
  }
}

describe.runIf(directory !== "")("pictures", () => {
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(directory, { recursive: true });
    browser = await Browser.start();
  });
  afterAll(() => browser.close());

  const cases = [
    { name: "six-light", data: fixture.six_by_three, width: 1440 },
    { name: "six-dark", data: fixture.six_by_three, width: 1440, dark: true },
    { name: "six-900", data: fixture.six_by_three, width: 900 },
    { name: "six-1800", data: fixture.six_by_three, width: 1800 },
    { name: "twenty-light", data: fixture.twenty_groups, width: 1440 },
    { name: "names-dark", data: fixture.twenty_names, width: 1440, dark: true },
    { name: "one", data: fixture.one_run, width: 1440 },
    { name: "waiting", data: fixture.waiting, width: 1440 },
    { name: "async-light", data: fixture.asynchronous, width: 1440 },
    {
      name: "async-dark",
      data: fixture.asynchronous,
      width: 1440,
      dark: true,
    },
    { name: "troubled", data: fixture.troubled, width: 1440 },
    { name: "empty", data: fixture.no_runs, width: 1200 },
    { name: "plan-light", data: plan_page, width: 1440 },
    { name: "plan-dark", data: plan_page, width: 1440, dark: true },
  ];
  for (const c of cases) {
    it(c.name, async () => {
      const { page } = await browser.open(c.name, c.data(), c);
      await page.evaluate(() => window.grapevine!.draw_all());
      await slices(page, c.name);
      await page.close();
    });
  }

  it("pointer", async () => {
    const { page } = await browser.open("pointer", fixture.twenty_groups());
    for (const plot of [
      "accuracy",
      "norms",
      "heat",
      "scatter",
      "spans",
      "graph",
    ]) {
      const body = page.locator(`[data-plot="${plot}"] .plot-body`);
      await body.evaluate((e) => e.scrollIntoView({ block: "center" }));
      await page.waitForTimeout(300);
      const box = (await body.boundingBox())!;
      const [x, y] = plot === "graph" ? [30 / box.width, 0.5] : [0.45, 0.38];
      await page.mouse.move(box.x + 5, box.y + 5);
      await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(directory, `pointer-${plot}.png`) });
    }
    const chart = page.locator('[data-plot="loss"] .chart');
    await chart.evaluate((e) => e.scrollIntoView({ block: "center" }));
    await page.waitForTimeout(300);
    const box = (await chart.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + box.height * 0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.7);
    await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.85);
    await page.mouse.up();
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(directory, "pointer-zoom.png") });
    await page.close();
  });

  it("print", async () => {
    for (const [name, data] of [
      ["six", fixture.six_by_three()],
      ["twenty", fixture.twenty_groups()],
    ] as const) {
      const { page } = await browser.open(`print-${name}`, data, {
        dark: true,
      });
      await page.pdf({
        path: join(directory, `print-${name}.pdf`),
        format: "A4",
        preferCSSPageSize: true,
        printBackground: true,
      });
      await page.setViewportSize({ width: 700, height: 900 });
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await page.waitForTimeout(300);
      await slices(page, `print-${name}`);
      await page.close();
    }
  });
});
