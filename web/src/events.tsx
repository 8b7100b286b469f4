import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { chainOf, search, type EventRow, type Page } from './data';
import { instantText, numberText, words } from './format';
import { useStore, type View } from './view';

const pageSize = 100;

function Row(props: { page: Page; view: View; row: EventRow; place: number; marked: boolean; follow: (row: number) => void }) {
  const { page, view, row, marked } = props;
  const { rows, kinds } = page.events;
  const element = useRef<HTMLTableRowElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (!marked) return;
    element.current?.scrollIntoView({ block: 'center' });
    element.current?.focus({ preventScroll: true });
  }, [marked]);
  const cause = row[6] === null ? undefined : rows[row[6]];
  const at = row[1] / 1e6;
  const chain = open ? chainOf(rows, props.place).slice(1) : [];
  return (
    <tr ref={element} tabIndex={-1} class={marked ? 'marked' : undefined}>
      <td>
        <button
          type="button"
          class="link"
          title="Zoom all plots to this instant"
          onClick={() => {
            view.show({ from: at - 15, to: at + 15 });
            view.cursor.set(at);
          }}
        >
          {instantText(row[1])}
        </button>
      </td>
      <td class="muted">{words(kinds[row[2]] ?? '')}</td>
      <td>
        {row[4]}
        {row[5] && <div class="muted lines">{row[5]}</div>}
        <div class="muted">
          {row[0]}
          {cause && (
            <>
              {' ← '}
              <button type="button" class="link" onClick={() => props.follow(row[6] as number)} title={cause[4]}>
                {cause[0]}
              </button>
              {row[8] && ` (${row[8]})`}{' '}
              <button type="button" class="link screen" aria-expanded={open} onClick={() => setOpen(!open)}>
                {open ? 'hide why' : 'why'}
              </button>
            </>
          )}
        </div>
        {open && (
          <ol class="chain">
            {chain.map((place) => {
              const x = rows[place];
              return (
                x && (
                  <li>
                    {x[4]}{' '}
                    <button type="button" class="link" onClick={() => props.follow(place)}>
                      {x[0]}
                    </button>{' '}
                    <span class="muted">{instantText(x[1])}</span>
                  </li>
                )
              );
            })}
          </ol>
        )}
      </td>
    </tr>
  );
}

/** Everything that happened, but the numbers of each second. */
export function Events({ page, view }: { page: Page; view: View }) {
  const { events } = page;
  const [question, setQuestion] = useState('');
  const [kind, setKind] = useState('');
  const [shown, setShown] = useState(pageSize);
  const [marked, setMarked] = useState(-1);
  const wanted = useStore(view.wanted);
  const found = useMemo(() => search(events, question, kind), [events, question, kind]);

  /** Shows a row, whatever is searched for. */
  const follow = (row: number) => {
    setQuestion('');
    setKind('');
    setShown((x) => Math.max(x, Math.ceil((row + 20) / pageSize) * pageSize));
    setMarked(-1);
    setTimeout(() => setMarked(row));
  };
  useEffect(() => {
    const row = wanted ? events.rows.findIndex((x) => x[0] === wanted.id) : -1;
    if (row >= 0) follow(row);
  }, [wanted]);

  const left = events.of_kinds.filter((x) => x.shown < x.all);
  return (
    <section aria-labelledby="events">
      <h2 id="events">Events</h2>
      {left.length > 0 && (
        <p class="warning">
          {numberText(events.shown)} of {numberText(events.all)} events are in this page; events.jsonl has all. Left out are the last ones of:{' '}
          {left.map((x) => `${words(x.kind)} (${numberText(x.shown)} of ${numberText(x.all)} are here)`).join(', ')}.
        </p>
      )}
      <div class="search screen">
        <label>
          Search{' '}
          <input
            type="search"
            value={question}
            onInput={(e) => {
              setQuestion(e.currentTarget.value);
              setShown(pageSize);
            }}
          />
        </label>
        <label>
          Kind{' '}
          <select
            value={kind}
            onChange={(e) => {
              setKind(e.currentTarget.value);
              setShown(pageSize);
            }}
          >
            <option value="">all</option>
            {events.of_kinds.map((x) => (
              <option value={x.kind}>
                {words(x.kind)} ({numberText(x.all)})
              </option>
            ))}
          </select>
        </label>
        <span role="status">
          {numberText(found.length)} event{found.length === 1 ? '' : 's'}
        </span>
      </div>
      <table class="events">
        <thead>
          <tr>
            <th scope="col">at</th>
            <th scope="col">kind</th>
            <th scope="col">what happened, and what led to it</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, shown).map((place) => {
            const row = events.rows[place];
            return row && <Row key={row[0]} page={page} view={view} row={row} place={place} marked={place === marked} follow={follow} />;
          })}
        </tbody>
      </table>
      {found.length > shown && (
        <button type="button" class="screen" onClick={() => setShown(shown + 5 * pageSize)}>
          Show more ({numberText(found.length - shown)} left)
        </button>
      )}
    </section>
  );
}
