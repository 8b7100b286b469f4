import type { View } from './view';

export type Choice = 'auto' | 'light' | 'dark';

const key = 'spillover-theme';

function remembered(): Choice {
  // A page opened from file:// may have no storage.
  try {
    const x = localStorage.getItem(key);
    return x === 'light' || x === 'dark' ? x : 'auto';
  } catch {
    return 'auto';
  }
}

let choice: Choice = remembered();
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');

export function themeChoice(): Choice {
  return choice;
}

/** Paper is light, whatever the screen is. */
function apply(view: View): void {
  const dark = !view.printing.get() && (choice === 'dark' || (choice === 'auto' && prefersDark.matches));
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  view.look.set(view.look.get() + 1);
}

export function chooseTheme(x: Choice, view: View): void {
  choice = x;
  try {
    localStorage.setItem(key, x);
  } catch {
    // It holds for this page only.
  }
  apply(view);
}

export function followTheme(view: View): void {
  const print = (x: boolean) => {
    view.printing.set(x);
    apply(view);
  };
  prefersDark.addEventListener('change', () => apply(view));
  window.addEventListener('beforeprint', () => print(true));
  window.addEventListener('afterprint', () => print(false));
  window.matchMedia('print').addEventListener('change', (x) => print(x.matches));
  apply(view);
}

/** The colour that a custom property of the style sheet has now. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The custom property with the colour of the region at this place of all. */
export function regionColor(regions: string[], region: string): string {
  const place = regions.indexOf(region);
  return place < 0 ? '--gone' : `--region-${place % 8}`;
}
