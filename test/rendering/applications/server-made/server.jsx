import { renderToString } from 'react-dom/server';
import { Page } from './page.jsx';

export const pageOf = (path) => renderToString(<Page path={path} />);
