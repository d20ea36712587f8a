// Pictures for people to look at, into the directory GV_SHOTS; not made
// without it.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import * as fixture from "../fixture";
import { plan_page } from "../plan_fixture";
import { Browser } from "./browser";

const directory = process.env["GV_SHOTS"] ?? "";

/** The whole page in pieces that a viewer shows unscaled. */
async function slices(page: Page, name: string): Promise<void> {
  await page.evaluate(() => window.grapevine!.draw_all());
  const { width, all } = await page.evaluate(() => ({
    width: document.documentElement.clientWidth,
    all: document.documentElement.scrollHeight,
  }));
  for (let y = 0, i = 1; y < all; y += 1100, ++i) {
    const clip = { x: 0, y, width, height: Math.min(1100, all - y) };
    const path = join(directory, `${name}-${String(i).padStart(2, "0")}.png`);
    await page.screenshot({ path, fullPage: true, clip });
  }
}

describe.runIf(directory !== "")("pictures", () => {
  let browser: Browser;

  beforeAll(async () => {
    mkdirSync(directory, { recursive: true });
    browser = await Browser.start();
  });
  afterAll(() => browser.close());

  const pages = {
    six: fixture.six_by_three,
    twenty: fixture.twenty_groups,
    names: fixture.twenty_names,
    one: fixture.one_run,
    waiting: fixture.waiting,
    async: fixture.asynchronous,
    troubled: fixture.troubled,
    empty: fixture.no_runs,
    plan: plan_page,
  };
  for (const [name, data] of Object.entries(pages)) {
    it.each([
      [400, true],
      [900, false],
      [1440, false],
      [1440, true],
      [1800, false],
    ])(`${name} %i, dark: %s`, async (width, dark) => {
      const { page } = await browser.open(name, data(), { width, dark });
      await slices(page, `${name}-${width}-${dark ? "dark" : "light"}`);
      await page.close();
    });
    it(`${name} on paper`, async () => {
      const { page } = await browser.open(name, data(), { width: 700 });
      await page.emulateMedia({ media: "print" });
      await page.waitForTimeout(300);
      await slices(page, `${name}-print`);
      await page.close();
    });
  }

  const plots = "accuracy norms heat scatter spans graph".split(" ");
  it.each(plots)("pointer on %s", async (plot) => {
    const { page } = await browser.open("pointer", fixture.twenty_groups());
    const body = page.locator(`[data-plot="${plot}"] .plot-frame`);
    await body.evaluate((e) => e.scrollIntoView({ block: "center" }));
    await page.waitForTimeout(300);
    const box = (await body.boundingBox())!;
    const x = plot === "graph" ? 30 : 0.45 * box.width;
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.mouse.move(box.x + x, box.y + 0.38 * box.height);
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(directory, `pointer-${plot}.png`) });
    await page.close();
  });
});
