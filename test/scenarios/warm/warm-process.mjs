/**
 * Runs one command of the built command line after the other, because starting Node costs more than most commands do.
 * W1  A command has its own arguments, environment and directory, and new instances of all our modules.
 * W2  A command ends as a process does: once nothing is left to wait for. Its exit listeners run then.
 * W3  A command that exits, or throws what nobody catches, ends this process with it.
 * W4  A process that imported a file of a project runs no further command: Node keeps such modules for good.
 */
import { openSync, ReadStream, readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'

const CLI = process.argv[2]
const DIRECTORY = dirname(CLI)
const PART = /^\.\/([a-z]+)\.js$/
const requireFromCli = createRequire(CLI)
const scripts = new Map()
let importsFiles = false

/** The compiled code is kept, the modules are not. */
function compiled(path) {
  const known = scripts.get(path)
  if (known) return known
  const text = `(function(exports,require,module,__filename,__dirname){${readFileSync(path, 'latin1')}\n})`
  const script = new Script(text, { filename: path })
  scripts.set(path, script)
  return script
}

function newCommandLine() {
  const parts = new Map()
  const load = name => {
    const part = PART.exec(name)?.[1]
    if (name === './import-file.cjs') importsFiles = true
    if (!part) return requireFromCli(name)
    const known = parts.get(part)
    if (known) return known.exports
    const loaded = { exports: {} }
    parts.set(part, loaded)
    const path = join(DIRECTORY, `${part}.js`)
    compiled(path).runInThisContext()(loaded.exports, load, loaded, path, DIRECTORY)
    return loaded.exports
  }
  return load('./main.js')
}

const emitters = [process, process.stdout, process.stderr]
const { console: usualConsole } = globalThis

function listenersOf(emitter) {
  return emitter.eventNames().map(event => [event, emitter.rawListeners(event)])
}

function removeAdded(emitter, before) {
  const known = new Map(before)
  for (const [event, listeners] of listenersOf(emitter))
    for (const listener of listeners)
      if (!known.get(event)?.includes(listener)) emitter.removeListener(event, listener.listener ?? listener)
}

function prepare({ args, env, cwd }) {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.argv = [process.execPath, CLI, ...args]
  process.exitCode = undefined
  let stdin
  const get = () => {
    stdin ??= new ReadStream(null, { fd: openSync('/dev/null', 'r') })
    return stdin
  }
  Object.defineProperty(process, 'stdin', { configurable: true, get })
}

/** A pipe that its reader has not emptied yet takes nothing, or a part. */
function writeWhole(file, bytes) {
  for (let left = bytes; left.length > 0; ) {
    try {
      left = left.subarray(writeSync(file, left))
    } catch (thrown) {
      if (thrown.code !== 'EAGAIN') throw thrown
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

process.on('message', command => {
  prepare(command)
  const before = emitters.map(listenersOf)
  const finish = () => {
    const added = process.listeners('exit').filter(listener => !new Map(before[0]).get('exit')?.includes(listener))
    for (const listener of added) listener(process.exitCode ?? 0)
    const exit = process.exitCode ?? 0
    for (const [at, emitter] of emitters.entries()) removeAdded(emitter, before[at])
    globalThis.console = usualConsole
    process.exitCode = undefined
    process.channel.ref()
    for (const file of [1, 2]) writeWhole(file, Buffer.from(command.mark))
    process.send({ exit, signal: null, isReusable: !importsFiles })
  }
  // From here on the command alone keeps this process alive.
  process.channel.unref()
  void newCommandLine()
    .main()
    .then(() => process.on('beforeExit', finish))
})
process.on('disconnect', () => process.exit())
