/** 1, 2, 5, 10 and so on, as far as they lie within bounds; of many decades 1 and 10 only. */
export function decades(min: number, max: number): number[] {
  const result: number[] = [];
  const steps = max / min > 2000 ? [1] : max / min > 100 ? [1, 3] : [1, 2, 5];
  for (let power = 10 ** Math.floor(Math.log10(min)); power <= max; power *= 10)
    for (const step of steps) if (step * power >= min && step * power <= max) result.push(step * power);
  return result;
}
