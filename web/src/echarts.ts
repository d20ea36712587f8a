// The parts of ECharts that the page uses; nothing else is bundled.
import {
  BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart,
} from "echarts/charts";
import {
  DataZoomComponent, GridComponent, MarkLineComponent, ToolboxComponent,
  TooltipComponent, VisualMapContinuousComponent,
} from "echarts/components";
import * as echarts from "echarts/core";
import { CanvasRenderer, SVGRenderer } from "echarts/renderers";

echarts.use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  ScatterChart,
  DataZoomComponent,
  GridComponent,
  MarkLineComponent,
  ToolboxComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export type Chart = echarts.ECharts;
/** Options are plain objects here: ECharts' own types of them take the
 * compiler longer than they help. */
export type Option = Record<string, unknown>;

/** SVG prints sharp; a canvas copes with thousands of elements. */
export function make_chart(
  element: HTMLElement,
  renderer: "canvas" | "svg",
): Chart {
  return echarts.init(element, null, {
    renderer,
    devicePixelRatio: Math.max(2, window.devicePixelRatio || 1),
  });
}
