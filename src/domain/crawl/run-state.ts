export type CrawlerRunState = 'running' | 'paused' | 'stopped';
