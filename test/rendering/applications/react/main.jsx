import { lazy, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { BrowserRouter, Link, Route, Routes, useParams } from 'react-router';
import { load, sentence } from '../sentences.ts';

const Guide = lazy(() => import('./guide.jsx'));

const Home = () => {
  const [products, setProducts] = useState([]);
  useEffect(() => void load('/api/products').then(setProducts), []);
  return (
    <main>
      <h1>Start</h1>
      <p>{sentence('react', 'start')}</p>
      <Link to="/guide">Guide</Link>
      <ul>
        {products.map(({ id, name }) => (
          <li key={id}>
            <Link to={`/product/${id}`}>{name}</Link>
          </li>
        ))}
      </ul>
    </main>
  );
};

const Product = () => {
  const { id } = useParams();
  const [product, setProduct] = useState();
  useEffect(() => void load(`/api/product/${id}`).then(setProduct), [id]);
  if (!product) return <p>Loading…</p>;
  return (
    <main>
      <title>{product.name}</title>
      <h1>{product.name}</h1>
      <p>{product.text}</p>
    </main>
  );
};

createRoot(document.getElementById('root')).render(
  <BrowserRouter>
    <Suspense fallback={<p>Loading…</p>}>
      <Routes>
        <Route path="/" element={<Home />} />
        <Route path="/guide" element={<Guide page="guide" />} />
        <Route path="/guide/care" element={<Guide page="care" />} />
        <Route path="/product/:id" element={<Product />} />
      </Routes>
    </Suspense>
  </BrowserRouter>,
);
