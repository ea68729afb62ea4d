#!/usr/bin/env node
import { launch } from '../scripts/launch.mjs';

launch('crawlway', process.argv.slice(2));
