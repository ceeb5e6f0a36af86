/** What programs in a box read to find the proxy, which the forwarder offers on a port of the loopback. */
export function proxyVariables(port: number, { permitted }: { permitted: boolean }): Readonly<Record<string, string>> {
  const http = `http://127.0.0.1:${port}`
  const named = {
    HTTP_PROXY: http,
    HTTPS_PROXY: http,
    // `h`: the proxy resolves names; there is no resolver in a box.
    ALL_PROXY: `socks5h://127.0.0.1:${port}`,
    NO_PROXY: 'localhost,127.0.0.1,::1',
  }
  const lower = Object.entries(named).map(([name, value]) => [name.toLowerCase(), value])
  // It makes each start of Node slower, so it is for boxes that may reach something.
  return { ...named, ...Object.fromEntries(lower), ...(permitted && { NODE_USE_ENV_PROXY: '1' }) }
}
