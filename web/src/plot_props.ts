import type uPlot from 'uplot';
import type { ComponentChildren } from 'preact';
import type { Fault } from './data';
import type { View } from './view';

/** One curve of a plot. */
export interface Layer {
  label: string;
  /** A custom property of the style sheet. */
  color: string;
  values: (number | null)[];
  lo?: number[];
  hi?: number[];
  dash?: number[];
  width?: number;
}

/** What a plot says of the place that is pointed at. */
export interface Tip {
  title: string;
  lines: string[];
  event?: string;
}

export interface PlotProps {
  view: View;
  /** Of several runs on a page the one that this is of, e.g. "A"; its plots share vertical axes with those of the others. */
  side?: string;
  id: string;
  title: string;
  /** What there is to see, in a sentence; for those who cannot see it, too. */
  summary: string;
  /** Beginnings of the points, in seconds. */
  x: number[];
  layers: Layer[];
  stacked?: boolean;
  /** Tells what part of the sum each layer is. */
  shares?: boolean;
  /** Values hold until the next point. */
  stepped?: boolean;
  log?: boolean;
  height: number;
  faults: Fault[];
  warmUp: number;
  /** Bounds of the vertical axis; by default from 0 to what is shown. */
  bounds?: [number, number];
  valueText?: (x: number) => string;
  /** Draws below the curves. */
  under?: (u: uPlot) => void;
  /** Draws above the curves. */
  over?: (u: uPlot) => void;
  /** Labels of rows, instead of the numbers of a vertical axis. */
  rows?: boolean;
  tip?: (u: uPlot, left: number, top: number) => Tip | null;
  /** Instants, in seconds, to which the keys n and p go, each with what is said of it. */
  stops?: { at: number; tip: Tip }[];
  /** The table for those who cannot see the plot; by default the values of the curves. */
  table?: (from: number, to: number) => { head: string[]; rows: string[][] };
  children?: ComponentChildren;
}
