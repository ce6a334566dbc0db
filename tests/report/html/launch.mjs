// SPDX-License-Identifier: MIT
import {chromium, firefox} from 'playwright-core';

// Starts Chromium or an unmodified Firefox, which is driven by WebDriver BiDi.
export const launch = path => /firefox/.test(path) ?
  firefox.launch({executablePath: path, channel: 'moz-firefox'}) :
  chromium.launch({executablePath: path, args: ['--no-sandbox']});
