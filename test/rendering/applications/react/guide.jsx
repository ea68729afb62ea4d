import { Link } from 'react-router';
import { sentence } from '../sentences.ts';

/** A part of its own, which the browser loads when a route wants it. */
export default function Guide({ page }) {
  return (
    <main>
      <title>{`React ${page}`}</title>
      <p>{sentence('react', page)}</p>
      <Link to="/guide/care">Care</Link>
    </main>
  );
}
