// A page in Debian's chromium, opened from disk.
import { execFileSync } from "node:child_process";
import {
  existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import type { Data } from "../../src/data";

const here = dirname(fileURLToPath(import.meta.url));

/** The browser: GV_CHROMIUM, or the first of these names on the PATH. Looked
 * up here, so that one installed after the build was configured is found. */
const kChromium =
  process.env["GV_CHROMIUM"] ||
  ["chromium", "chromium-browser", "google-chrome"]
    .flatMap((name) =>
      (process.env["PATH"] ?? "").split(":").map((dir) => join(dir, name)),
    )
    .find((path) => existsSync(path)) ||
  "/usr/bin/chromium";

/** Milliseconds: beyond what a busy machine needs for anything. */
const kPatience = 120_000;

const kFlags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export interface Opened {
  page: Page;
  /** Errors on the console, failed scripts, and requests that left the file. */
  complaints: string[];
  /** Milliseconds until the page could be used. */
  ready: number;
}

export interface OpenOptions {
  width?: number;
  height?: number;
  dark?: boolean;
}

export class Browser {
  private constructor(
    private readonly directory_: string,
    private readonly context_: BrowserContext,
    private readonly template_: string,
  ) {}

  static async start(): Promise<Browser> {
    const directory = mkdtempSync(join(tmpdir(), "gv-web-"));
    const context = await chromium.launchPersistentContext(
      join(directory, "profile"),
      { executablePath: kChromium, headless: true, args: kFlags },
    );
    context.setDefaultTimeout(kPatience);
    return new Browser(directory, context, template(directory));
  }

  async close(): Promise<void> {
    await this.context_.close();
    rmSync(this.directory_, { recursive: true, force: true });
  }

  /** Writes the page as the report does, and opens it. */
  async open(name: string, data: Data, o: OpenOptions = {}): Promise<Opened> {
    const json = JSON.stringify(data).replaceAll("</", "<\\/");
    return this.open_text(name, json, o);
  }

  async open_text(
    name: string,
    json: string,
    o: OpenOptions = {},
  ): Promise<Opened> {
    const path = join(this.directory_, `${name}.html`);
    writeFileSync(
      path,
      this.template_.replace("__GRAPEVINE_DATA__", () => json),
    );
    return this.open_file(path, o);
  }

  /** A page that is there. */
  async open_file(path: string, o: OpenOptions = {}): Promise<Opened> {
    const page = await this.context_.newPage();
    await page.setViewportSize({
      width: o.width ?? 1440,
      height: o.height ?? 900,
    });
    await page.emulateMedia({ colorScheme: o.dark ? "dark" : "light" });
    const complaints: string[] = [];
    const url = pathToFileURL(path).href;
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) {
        complaints.push(`console: ${message.text()}`);
      }
    });
    page.on("pageerror", (error) =>
      complaints.push(`script: ${error.message}`),
    );
    page.on("request", (request) => {
      if (request.url() !== url && !request.url().startsWith("data:")) {
        complaints.push(`request: ${request.url()}`);
      }
    });
    page.on("dialog", (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(url);
    await page.waitForSelector("#page > *");
    const ready = await page.evaluate(() => window.grapevine?.ready ?? NaN);
    return { page, complaints, ready };
  }
}

/** The page that the build made (GV_PAGE), or one made now. */
function template(directory: string): string {
  const built = process.env["GV_PAGE"];
  if (built) return readFileSync(built, "utf8");
  const out = join(directory, "template.html");
  execFileSync(process.execPath, [join(here, "../../build.mjs"), out]);
  return readFileSync(out, "utf8");
}

/** Draws all plots and gives the names of what each draws. */
export async function all_series(
  page: Page,
): Promise<Record<string, string[]>> {
  return page.evaluate(() => {
    window.grapevine!.draw_all();
    return Object.fromEntries(
      Object.entries(window.grapevine!.plots).map(([plot, card]) => [
        plot,
        card.series,
      ]),
    );
  });
}

/** The names that one plot draws now, after pending drawing. */
export async function series_of(page: Page, plot: string): Promise<string[]> {
  return page.evaluate(async (name) => {
    await new Promise((done) =>
      requestAnimationFrame(() => requestAnimationFrame(done)),
    );
    const card = window.grapevine!.plots[name]!;
    card.draw_if_stale();
    return card.series;
  }, plot);
}
