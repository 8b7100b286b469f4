import { describe, expect, it } from 'vitest';
import { Axis, clamp, leastSpan, panned, Store, View, zoomed } from '../src/view';

const whole = { from: 0, to: 100 };

describe('ranges', () => {
  it.each([
    ['what lies within stays', { from: 10, to: 20 }, { from: 10, to: 20 }],
    ['moved from before the beginning', { from: -10, to: 10 }, { from: 0, to: 20 }],
    ['moved from behind the end', { from: 95, to: 105 }, { from: 90, to: 100 }],
    ['what is wider becomes the whole', { from: -50, to: 150 }, whole],
    ['not narrower than the least', { from: 50, to: 50 }, { from: 50 - leastSpan / 2, to: 50 + leastSpan / 2 }],
  ])('clamp: %s', (_, range, expected) => {
    expect(clamp(range, whole)).toEqual(expected);
  });

  it.each([
    ['in, about the middle', 0.5, 50, { from: 25, to: 75 }],
    ['in, about the left edge', 0.5, 0, { from: 0, to: 50 }],
    ['out is bounded', 3, 50, whole],
  ])('zoom: %s', (_, factor, at, expected) => {
    expect(zoomed(whole, factor, at, whole)).toEqual(expected);
  });

  it.each([
    ['by a part of what is shown', 0.5, { from: 45, to: 55 }],
    ['not beyond the end', 20, { from: 90, to: 100 }],
  ])('pan: %s', (_, share, expected) => {
    expect(panned({ from: 40, to: 50 }, share, whole)).toEqual(expected);
  });
});

it('everybody hears of a change, once, until they leave', () => {
  const store = new Store(1);
  const heard: string[] = [];
  const leave = store.follow((x) => heard.push(`a${x}`));
  store.follow((x) => heard.push(`b${x}`));
  store.set(2);
  store.set(2);
  leave();
  store.set(3);
  expect(heard).toEqual(['a2', 'b2', 'b3']);
});

it('a view zooms within its run and comes back', () => {
  const view = new View(whole);
  view.zoom(0.1, 90);
  expect(view.range.get()).toEqual({ from: 81, to: 91 });
  view.pan(10);
  expect(view.range.get()).toEqual({ from: 90, to: 100 });
  view.reset();
  expect(view.range.get()).toEqual(whole);
});

it('plots of several runs share what the widest of them needs', () => {
  const axis = new Axis();
  let changes = 0;
  axis.changes.follow(() => ++changes);
  const leave = axis.add(({ to }) => [0, to]);
  axis.add(() => [-1, 7]);
  expect(axis.reach({ from: 0, to: 5 })).toEqual([-1, 7]);
  expect(axis.reach({ from: 0, to: 50 })).toEqual([-1, 50]);
  leave();
  expect(axis.reach({ from: 0, to: 50 })).toEqual([-1, 7]);
  expect(changes).toBe(3);
});

it('has one choice for a plot of all runs, and one axis', () => {
  const view = new View(whole);
  view.choice('traffic').set('clients-east');
  expect(view.choice('traffic').get()).toBe('clients-east');
  expect(view.choice('errors').get()).toBe('');
  expect(view.axis('traffic')).toBe(view.axis('traffic'));
  expect(view.axis('traffic')).not.toBe(view.axis('errors'));
});
