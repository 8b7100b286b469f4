import type { PlotProps, Tip } from './plot_props';
import type { View } from './view';

/** Fingers pan, two of them zoom; the page still scrolls up and down. */
export function followFingers(over: HTMLElement, view: View): void {
  const fingers = new Map<number, number>();
  over.addEventListener('pointerdown', (e) => {
    if (e.pointerType === 'touch') fingers.set(e.pointerId, e.clientX);
  });
  over.addEventListener('pointermove', (e) => {
    const before = fingers.get(e.pointerId);
    if (before === undefined) return;
    const { from, to } = view.range.get();
    const perPixel = (to - from) / Math.max(over.clientWidth, 1);
    if (fingers.size === 1) {
      view.show({ from: from - (e.clientX - before) * perPixel, to: to - (e.clientX - before) * perPixel });
    } else {
      const other = [...fingers].find(([id]) => id !== e.pointerId)?.[1] ?? before;
      const was = Math.max(Math.abs(before - other), 10);
      const is = Math.max(Math.abs(e.clientX - other), 10);
      view.zoom(was / is, from + (other - over.getBoundingClientRect().left) * perPixel);
    }
    fingers.set(e.pointerId, e.clientX);
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave'])
    over.addEventListener(end, (e) => fingers.delete((e as PointerEvent).pointerId));
}

export function followWheel(over: HTMLElement, view: View): void {
  over.addEventListener(
    'wheel',
    (e) => {
      if (e.ctrlKey) {
        const { from, to } = view.range.get();
        const share = (e.clientX - over.getBoundingClientRect().left) / Math.max(over.clientWidth, 1);
        view.zoom(e.deltaY > 0 ? 1.25 : 0.8, from + (to - from) * share);
      } else if (e.shiftKey) {
        view.pan((e.deltaY || e.deltaX) > 0 ? 0.1 : -0.1);
      } else {
        return;
      }
      e.preventDefault();
    },
    { passive: false },
  );
}

/** @returns whether the key meant something to the plot. */
export function takeKey(key: string, shift: boolean, props: PlotProps, tell: (x: Tip | null) => void): boolean {
  const { view } = props;
  const { from, to } = view.range.get();
  const at = view.cursor.get() ?? (from + to) / 2;
  const go = (x: number) => {
    const bounded = Math.min(Math.max(x, view.whole.from), view.whole.to);
    if (bounded < from || bounded > to) view.pan((bounded < from ? bounded - from : bounded - to) / (to - from));
    view.cursor.set(bounded);
  };
  const stop = (forward: boolean) => {
    const stops = props.stops ?? [];
    const found = forward ? stops.find((x) => x.at > at + 1e-6) : [...stops].reverse().find((x) => x.at < at - 1e-6);
    if (!found) return;
    go(found.at);
    tell(found.tip);
  };
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowRight': {
      const sign = key === 'ArrowLeft' ? -1 : 1;
      if (shift) view.pan(sign * 0.2);
      else {
        tell(null);
        go(at + (sign * (to - from)) / 100);
      }
      return true;
    }
    case '+':
    case '=':
      view.zoom(0.5, at);
      return true;
    case '-':
      view.zoom(2, at);
      return true;
    case '0':
    case 'Home':
      view.reset();
      return true;
    case 'n':
      stop(true);
      return true;
    case 'p':
      stop(false);
      return true;
    case 'Escape':
      tell(null);
      view.cursor.set(null);
      return true;
    default:
      return false;
  }
}
