// A page that the program made of runs that it did: that both sides mean the
// same by the page's data. Needs the program (GRAPEVINE_PROGRAM), so it runs
// from the build's tests only.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { all_series, Browser } from "./browser";

const program = process.env["GRAPEVINE_PROGRAM"];

const kSweep = `
data = "synthetic"
synthetic-samples = 1024
n = 8
batch = 16
epochs = 4
ada-every = 1
probe-every = 1
[matrix]
preset = ["ada-auto"]
seed = [1, 2]
`;
const kRivals = `
data = "synthetic"
synthetic-samples = 1024
n = 8
batch = 16
epochs = 4
probe-every = 1
[matrix]
preset = ["c-complete", "d-torus", "d-ring", "ada"]
seed = [1, 2]
`;

describe.skipIf(!program)("a page of real runs", () => {
  const directory = mkdtempSync(join(tmpdir(), "gv-real-"));
  let browser: Browser;

  beforeAll(async () => {
    for (const [name, text] of [
      ["auto", kSweep],
      ["rivals", kRivals],
    ] as const) {
      const file = join(directory, `${name}.toml`);
      writeFileSync(file, text);
      const out = join(directory, "runs", name);
      execFileSync(program!, ["bench", file, "--out", out, "--quiet"]);
    }
    execFileSync(program!, [
      "report",
      join(directory, "runs"),
      "--html",
      join(directory, "page.html"),
    ]);
    browser = await Browser.start();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it("opens without complaints, every plot with its curves", async () => {
    const { page, complaints } = await browser.open_file(
      join(directory, "page.html"),
    );
    const series = await all_series(page);
    const groups = ["ada", "ada-auto", "c-complete", "d-ring", "d-torus"];
    const plots = "accuracy loss train-loss series bytes messages".split(" ");
    for (const plot of plots) {
      expect([...series[plot]!].sort(), plot).toEqual(groups);
    }
    for (const plot of ["dispersion", "consensus", "scatter"]) {
      expect(series[plot], plot).toEqual(
        expect.arrayContaining(["ada", "ada-auto", "d-ring", "d-torus"]),
      );
    }
    expect([...series["degree"]!].sort()).toEqual(["ada", "ada-auto"]);
    expect(series["density"]!.length).toBeGreaterThan(0);
    expect(series["heat"]).toContain("fc1.weight");
    expect(series["norms"]!.length).toBe(8);
    expect(series["graph"]!.length).toBe(1);
    expect(series["spans"]).toContain("backward");
    const rows = page.locator('[data-table="runs"] tbody tr');
    expect(await rows.count()).toBe(10);
    expect(complaints).toEqual([]);
  });
});
