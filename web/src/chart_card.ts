// A card whose body is an ECharts chart.
import type { App } from "./app";
import { Card, type CardOptions, type Shown } from "./card";
import { h } from "./dom";
import { beside } from "./tooltip";
import { make_chart, type Chart, type Option } from "./echarts";

export interface ChartShown extends Shown {
  option?: Option;
  /** Pixels. */
  height?: number;
}

/** Above this many runs curves go on a canvas. */
const kSvgRuns = 60;

export abstract class ChartCard extends Card {
  protected chart: Chart | null = null;
  private readonly holder_ = h("div", { class: "chart" });
  private zoomable_ = false;
  private readonly renderer_: "svg" | "canvas";

  constructor(
    app: App,
    options: CardOptions & { renderer?: "svg" | "canvas"; zoomable?: boolean },
  ) {
    super(app, options);
    this.zoomable_ = options.zoomable ?? false;
    this.renderer_ =
      options.renderer ?? (app.data.runs.length > kSvgRuns ? "canvas" : "svg");
    this.body.append(this.holder_);
  }

  protected abstract compose(): ChartShown;

  protected draw(): Shown {
    const shown = this.compose();
    if (!shown.option || shown.empty) return shown;
    // Three plots on a sheet of paper.
    const usual = this.app.choices.printing ? 255 : 340;
    this.holder_.style.height = `${shown.height ?? usual}px`;
    if (!this.chart) this.open();
    this.chart!.setOption(this.with_placed_tooltip(shown.option), {
      notMerge: true,
    });
    if (this.zoomable_) this.arm_zoom();
    return shown;
  }

  private with_placed_tooltip(option: Option): Option {
    const position = (
      pointer: number[],
      _params: unknown,
      _box: unknown,
      _rect: unknown,
      size: { contentSize: number[] },
    ): [number, number] =>
      beside(pointer, size.contentSize, this.holder_.getBoundingClientRect(), {
        width: document.documentElement.clientWidth,
        height: window.innerHeight,
      });
    return {
      ...option,
      tooltip: { ...(option["tooltip"] as Option), position },
    };
  }

  private open(): void {
    this.chart = make_chart(this.holder_, this.renderer_);
    if (!this.zoomable_) return;
    this.chart.getZr().on("dblclick", () => {
      this.chart?.dispatchAction({ type: "dataZoom", start: 0, end: 100 });
    });
  }

  /** Dragging selects a part, without a press on ECharts' tool first. */
  private arm_zoom(): void {
    this.chart?.dispatchAction({
      type: "takeGlobalCursor",
      key: "dataZoomSelect",
      dataZoomSelectActive: true,
    });
  }

  protected override resize(): void {
    if (!this.chart) return;
    const { clientWidth, clientHeight } = this.holder_;
    if (!clientWidth || !clientHeight) return;
    if (
      this.chart.getWidth() !== clientWidth ||
      this.chart.getHeight() !== clientHeight
    ) {
      this.chart.resize({ width: clientWidth, height: clientHeight });
    }
  }

  protected override highlight(key: string | null): void {
    if (!this.chart) return;
    this.chart.dispatchAction({ type: "downplay" });
    if (key !== null && !this.hidden.has(key)) {
      this.chart.dispatchAction({ type: "highlight", seriesId: key });
    }
  }
}
