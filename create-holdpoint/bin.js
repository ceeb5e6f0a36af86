#!/usr/bin/env node
/** `npm create holdpoint NAME` is `holdpoint new NAME` of the newest Holdpoint. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('dist/cli/bin.js', import.meta.resolve('holdpoint/package.json')))
const { status } = spawnSync(process.execPath, [cli, 'new', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exitCode = status ?? 1
