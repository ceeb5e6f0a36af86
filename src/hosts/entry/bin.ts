#!/usr/bin/env node
/** Tells that Node is too old, before anything is loaded that an old Node could not read. */
const OLDEST = 24

async function start(): Promise<void> {
  if (Number(process.versions.node.split('.')[0]) < OLDEST) {
    process.stderr.write(
      `holdpoint needs Node ${OLDEST} or newer; this is ${process.version}. Install a newer Node, or run it with npx node@${OLDEST}.\n`,
    )
    process.exitCode = 2
    return
  }
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  const { main } = await import('./main.ts')
  await main()
}

void start()

export {}
