/** A number with commas, and at most so many decimals. */
export function numberText(x: number, decimals = 0): string {
  return x.toLocaleString('en-US', { maximumFractionDigits: decimals });
}

/** A number as short as a curve needs it. */
export function shortText(x: number): string {
  const size = Math.abs(x);
  return numberText(x, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** An instant as scenarios write it, e.g. "5m20s"; below a second with decimals. */
export function timeText(seconds: number, decimals = 0): string {
  const factor = 10 ** decimals;
  let rest = Math.round(seconds * factor) / factor;
  const hours = Math.floor(rest / 3600);
  rest -= hours * 3600;
  const minutes = Math.floor(rest / 60);
  rest -= minutes * 60;
  const secondsText = String(Number(rest.toFixed(decimals)));
  let result = '';
  if (hours > 0) result += `${hours}h`;
  if (minutes > 0) result += `${minutes}m`;
  if (result === '' || secondsText !== '0') result += `${secondsText}s`;
  return result;
}

/** As many decimals as tell instants apart in a range of so many seconds. */
export function decimalsFor(span: number): number {
  return span > 60 ? 0 : span > 6 ? 1 : span > 0.6 ? 2 : 3;
}

/** An instant to the millisecond, as `spillover why` shows it. */
export function instantText(microseconds: number): string {
  return `${(Math.floor(microseconds / 1000) / 1000).toFixed(3)} s`;
}

/** A latency in microseconds for people. */
export function latencyText(microseconds: number): string {
  if (microseconds >= 1e6) return `${numberText(microseconds / 1e6, microseconds >= 1e7 ? 0 : 1)} s`;
  if (microseconds >= 1e3) return `${numberText(microseconds / 1e3, microseconds >= 1e4 ? 0 : 1)} ms`;
  return `${numberText(microseconds)} µs`;
}

/** A share with two decimals; only none is "0.00 %", only all "100.00 %". */
export function shareText(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const percent = (part / whole) * 100;
  if (part > 0 && percent < 0.005) return '<0.01 %';
  return `${(part < whole ? Math.min(percent, 99.99) : percent).toFixed(2)} %`;
}

/** vCPU seconds of thousandths. */
export function vcpuText(milli: number): string {
  return (milli / 1000).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** What a name in files is called, e.g. "lb timeout". */
export function words(name: string): string {
  return name.replace(/_/g, ' ');
}
