import { useState } from 'react';
import { sentence } from '../sentences.ts';

const COUNT = 6;

/** The same on the server and in the browser. */
export function Page({ path }) {
  const [liked, setLiked] = useState(0);
  const number = /^\/article\/(\d+)$/.exec(path)?.[1];
  return (
    <main>
      <h1>{number ? `Article ${number}` : 'Articles'}</h1>
      <p>{sentence('server-made', number ? `article-${number}` : 'start')}</p>
      <button type="button" onClick={() => setLiked(liked + 1)}>
        Liked {liked} times
      </button>
      {Array.from({ length: COUNT }, (_, index) => (
        <a key={index} href={`/article/${index + 1}`}>
          Article {index + 1}
        </a>
      ))}
    </main>
  );
}
