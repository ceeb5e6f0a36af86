import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { test } from 'vitest'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** A test in a real browser, if there is one. */
export const inChromium: typeof test = test.skipIf(CHROMIUM === undefined) as typeof test

export function aBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox'] })
}
