import type { JSX } from 'preact';
import type { UrlStateDto } from '../../api/schema.js';
import { Reason } from '../../ui/reasons.js';
import { Scroll } from '../../ui/scroll.js';
import { State } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { UrlLink } from '../../ui/url-text.js';

export const UrlTable = ({ urls }: { urls: readonly UrlStateDto[] }): JSX.Element => (
  <Scroll>
    <table>
      <caption class="visually-hidden">Stored URLs</caption>
      <thead>
        <tr>
          <th scope="col">URL</th>
          <th scope="col">Status</th>
          <th scope="col">Reason</th>
          <th scope="col" class="number">
            HTTP
          </th>
          <th scope="col">Last visit</th>
          <th scope="col">Next visit</th>
          <th scope="col">Source</th>
          <th scope="col" class="number" title="Links from the root">
            Hops
          </th>
        </tr>
      </thead>
      <tbody>
        {urls.map((state) => (
          <tr key={state.id}>
            <td class="url-cell">
              <UrlLink crawler={state.crawler} url={state.url} />
              {state.title && <div class="title-line">{state.title}</div>}
            </td>
            <td>
              <State name={state.status} />
            </td>
            <td>{state.reason !== state.status && <Reason code={state.reason} />}</td>
            <td class="number">{state.lastStatus ?? '–'}</td>
            <td class="nowrap">
              <Time at={state.lastVisitAt} />
            </td>
            <td class="nowrap">
              <Time at={state.dueAt} />
            </td>
            <td>{state.source ?? '–'}</td>
            <td class="number">{state.hops}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);
