import { describe, expect, it } from 'vitest';
import { chainOf, expand, reasonsOf, regionsOf, runAt, search, sum, type EventRow, type Page, type Ribbon } from '../src/data';

const rows: EventRow[] = [
  ['director#2', 300e6, 0, 0, 'fault sets in: 5 of 10 silent', '', null],
  ['east#7', 313e6, 1, 1, 'composite of east/shop turns UNHEALTHY', 'generation 2', 0],
  ['west#9', 320e6, 2, 2, 'west/shop/web wants 8 instances, 6 before', 'CPU 3.3', 1, [6, 8], 'the last change of route'],
];
const events = {
  all: 3,
  shown: 3,
  of_kinds: [],
  kinds: ['fault_started', 'composite_changed', 'scaling_decided'],
  entities: ['director', 'east/shop/composite', 'west/shop/web'],
  rows,
} as Page['events'];

describe('curves', () => {
  it.each([
    ['one number stands for all points', { mean: 3 }, { mean: [3, 3] }],
    ['bounds of it, too', { mean: [1, 2], lo: 0, hi: [4, 5] }, { mean: [1, 2], lo: [0, 0], hi: [4, 5] }],
  ])('expand: %s', (_, curve, expected) => {
    expect(expand(curve, 2)).toEqual(expected);
  });

  it.each([
    ['nothing is 0', [], { mean: [0, 0] }],
    ['point by point', [{ mean: [1, 2] }, { mean: [10, 20] }], { mean: [11, 22] }],
    [
      'what has no bounds is exact',
      [{ mean: [1, 2], lo: [0, 1], hi: [5, 6] }, { mean: [10, 20] }],
      { mean: [11, 22], lo: [10, 21], hi: [15, 26] },
    ],
  ])('add up: %s', (_, curves, expected) => {
    expect(sum(curves, 2)).toEqual(expected);
  });
});

describe('events', () => {
  it.each([
    ['from a decision to the fault', 2, [2, 1, 0]],
    ['a fault has no cause', 0, [0]],
  ])('chain: %s', (_, row, expected) => {
    expect(chainOf(rows, row)).toEqual(expected);
  });

  it('chain: ends where it would go in a circle', () => {
    const circle = rows.map((x) => [...x] as EventRow);
    (circle[0] as EventRow)[6] = 2;
    expect(chainOf(circle, 2)).toEqual([2, 1, 0]);
  });

  it.each([
    ['nothing asked finds all', '', '', [0, 1, 2]],
    ['whatever the case', 'unhealthy', '', [1]],
    ['all words count, wherever they stand', 'WEST cpu', '', [2]],
    ['not words of different events', 'west composite', '', []],
    ['ids count', 'east#7', '', [1]],
    ['reasons count', 'change of route', '', [2]],
    ['a kind alone', '', 'scaling_decided', [2]],
    ['a kind and a word', 'fault', 'scaling_decided', []],
  ])('search: %s', (_, question, kind, expected) => {
    expect(search(events, question, kind)).toEqual(expected);
  });
});

describe('ribbons', () => {
  const ribbon: Ribbon = {
    group: 'east/shop',
    kind: 'endpoint',
    entity: 'east/shop/web/0',
    runs: [
      [2e6, 'UNKNOWN', ''],
      [5e6, 'HEALTHY', 'east#1'],
    ],
  };
  it.each([
    ['before it was there', 1.9, -1],
    ['from its first instant on', 2, 0],
    ['until the next run', 4.999, 0],
    ['the last run has no end', 1000, 1],
  ])('run at an instant: %s', (_, seconds, expected) => {
    expect(runAt(ribbon, seconds)).toBe(expected);
  });
});

describe('two runs on a page', () => {
  const page = {
    curves: {
      traffic: [{ consumer: 'c', region: 'west', sent: { mean: 1 } }],
      backends: [{ region: 'east' }],
      requests: [{ consumer: 'c', ended: { ok: { mean: 1 }, lost: { mean: 2 } } }],
    },
  } as unknown as Page;
  it('have the colours of their own regions and reasons alone, and of all together', () => {
    expect(regionsOf(page)).toEqual(['east', 'west']);
    expect(reasonsOf(page)).toEqual(['lost']);
    const both = { ...page, regions: ['central', 'east', 'west'], reasons: ['lb_timeout', 'lost'] };
    expect(regionsOf(both).indexOf('west')).toBe(2);
    expect(reasonsOf(both).indexOf('lost')).toBe(1);
  });
});
