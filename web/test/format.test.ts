import { expect, it } from 'vitest';
import { decimalsFor, instantText, latencyText, shareText, shortText, timeText, vcpuText } from '../src/format';
import { decades } from '../src/scale';

it.each([
  [0, 0, '0s'],
  [20, 0, '20s'],
  [320, 0, '5m20s'],
  [300, 0, '5m'],
  [3600, 0, '1h'],
  [3661, 0, '1h1m1s'],
  [59.96, 1, '1m'],
  [316.51, 2, '5m16.51s'],
])('instants are written as in scenarios: %d with %d decimals', (seconds, decimals, expected) => {
  expect(timeText(seconds, decimals)).toBe(expected);
});

it.each([
  [1200, 0],
  [60, 1],
  [5, 2],
  [0.2, 3],
])('decimals tell instants apart within %d s', (span, expected) => {
  expect(decimalsFor(span)).toBe(expected);
});

it.each([
  [316522442, '316.522 s'],
  [316522999, '316.522 s'],
])('instants of events are cut to milliseconds: %d', (microseconds, expected) => {
  expect(instantText(microseconds)).toBe(expected);
});

it.each([
  [900, '900 µs'],
  [1300, '1.3 ms'],
  [84992, '85 ms'],
  [2654208, '2.7 s'],
  [30000000, '30 s'],
])('latencies: %d', (microseconds, expected) => {
  expect(latencyText(microseconds)).toBe(expected);
});

it.each([
  [0, 10, '0.00 %'],
  [1, 1000000, '<0.01 %'],
  [6, 100000, '0.01 %'],
  [999999, 1000000, '99.99 %'],
  [10, 10, '100.00 %'],
  [0, 0, '–'],
])('only none is 0 and only all 100: %d of %d', (part, whole, expected) => {
  expect(shareText(part, whole)).toBe(expected);
});

it.each([
  [0.25, '0.25'],
  [12.34, '12.3'],
  [1234.5, '1,235'],
])('numbers beside curves are short: %d', (x, expected) => {
  expect(shortText(x)).toBe(expected);
});

it('vCPU seconds have one decimal', () => {
  expect(vcpuText(12511000)).toBe('12,511.0');
});

it.each([
  ['within a decade', 15, 90, [20, 50]],
  ['the bounds count', 10, 100, [10, 20, 50, 100]],
  ['fewer over several', 18000, 4000000, [30000, 100000, 300000, 1000000, 3000000]],
  ['powers of ten over many', 1, 100000, [1, 10, 100, 1000, 10000, 100000]],
])('lines of logarithmic axes: %s', (_, min, max, expected) => {
  expect(decades(min, max)).toEqual(expected);
});
