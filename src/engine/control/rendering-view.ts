/** Compares a page as it was sent with the page that results from its scripts. */
import { compareTexts } from '../../domain/render/compare-texts.js';
import { milliseconds } from '../../domain/time/units.js';
import type { PageResult } from '../ports/page-task.js';
import type { RenderingView } from '../views/url-views.js';

const MAX_LOST_LINKS = 200;

/** Returns undefined if rendering was not attempted. */
export function toRenderingView({ rendering, outcome, links, refused }: PageResult): RenderingView | undefined {
  const failure = outcome.kind === 'document' ? outcome.renderFailure : undefined;
  if (!rendering) return failure && { time: NO_TIME, requests: 0, refused: {}, failure };
  const { time, requests, sent, picture } = rendering;
  const view = { time, requests, refused: rendering.refused, readiness: rendering.readiness, failure };
  if (!sent || outcome.kind !== 'document') return view;
  const currentLinks = new Set([...links, ...refused].map(({ url }) => url));
  const { title, text, textLength } = sent;
  return {
    ...view,
    comparison: {
      ...compareTexts(text, outcome.reading?.text ?? ''),
      sent: { title, text, textLength, links: sent.links.length },
      lostLinks: sent.links.filter((link) => !currentLinks.has(link)).slice(0, MAX_LOST_LINKS),
    },
    picture: picture && Buffer.from(picture).toString('base64'),
  };
}

const NO_TIME = milliseconds(0);
