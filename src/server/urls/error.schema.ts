import type { ErrorClassView, ErrorHostView } from '../../engine/views/url-views.js';
import { integer, schema, text } from '../http/schema.js';

const FAILING = {
  urls: integer(12, 'URLs in error.'),
  lastHour: integer(3, 'Number of these URLs that were last tried within the last hour.'),
  lastDay: integer(12, 'Number of these URLs that were last tried within the last 24 hours.'),
};

export const errorClassSchema = schema<ErrorClassView>()('ErrorClass', {
  ...FAILING,
  reason: text('http-404', 'Error code; `GET /reasons` explains it.'),
  hosts: integer(12, 'Web servers with URLs in this error.'),
});

export const errorHostSchema = schema<ErrorHostView>()('ErrorHost', {
  ...FAILING,
  host: text('www.example.com').from('hostKey'),
});
