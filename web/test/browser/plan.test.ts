// The page of `grapevine plan predict`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plan_page } from "../plan_fixture";
import { all_series, Browser, series_of } from "./browser";

let browser: Browser;
beforeAll(async () => {
  browser = await Browser.start();
});
afterAll(() => browser?.close());

const kCurves = [
  "All-Reduce",
  "ring",
  "complete",
  "one-peer-exponential",
  "aer",
];

describe("a plan", () => {
  it("has its plots, words and table, and no part about runs", async () => {
    const { page, complaints } = await browser.open("plan", plan_page());
    expect(await all_series(page)).toEqual({
      "plan-workers": kCurves,
      "plan-bandwidth": kCurves,
      "plan-parts": [
        "compute and update",
        "exposed communication",
        "stragglers",
      ],
    });
    expect(
      await page.locator('[data-part="recommendations"] li').count(),
    ).toBe(6);
    expect(await page.locator('[data-table="plan"] tbody tr').count()).toBe(27);
    expect(await page.locator('[data-table="runs"]').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("switches algorithms and curves", async () => {
    const { page } = await browser.open("plan-switch", plan_page([8]));
    expect(await page.locator('[data-plot="plan-workers"]').count()).toBe(0);
    const card = page.locator('[data-plot="plan-bandwidth"]');
    await card.getByLabel("algorithm").selectOption("adapt-then-combine");
    expect(await series_of(page, "plan-bandwidth")).toEqual(kCurves);
    await card.locator(".legend button", { hasText: "ring" }).first().click();
    expect(await series_of(page, "plan-bandwidth")).not.toContain("ring");
    await page.close();
  });
});

const program = process.env["GRAPEVINE_PROGRAM"];

describe.skipIf(!program)("a plan that the program made", () => {
  const directory = mkdtempSync(join(tmpdir(), "gv-plan-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("draws", async () => {
    const file = join(directory, "plan.html");
    execFileSync(program!, [
      "plan",
      "predict",
      ...["--compute", "60ms,120ms,10ms", "--model-bytes", "25MB"],
      ...["--link", "1gbit,1ms", "-n", "4,8", "--html", file],
    ]);
    const { page, complaints } = await browser.open_file(file);
    const series = await all_series(page);
    expect(series["plan-workers"]).toContain("aer");
    expect(series["plan-bandwidth"]).toContain("All-Reduce");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
