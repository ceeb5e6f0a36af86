/**
 * Binds, leaves a server behind, and becomes the command. The server is a grandchild: a command that waits for all of
 * its children must not wait for it. It holds no stream of the command, so that these end with the command.
 */
export const PERL_FORWARDER = String.raw`
use strict;
# Numbers and forms of Linux: the modules that know them would take longer to load than all the rest.
my ($unix, $inet, $stream, $socket, $reuse, $setfl, $rdwr_nonblock) = (1, 2, 1, 1, 2, 4, 2 | 2048);
my ($enoent, $eintr, $eagain) = (2, 4, 11);
my ($port, $path, @argv) = @ARGV;
my $listener;
unless (socket($listener, $inet, $stream, 0) && setsockopt($listener, $socket, $reuse, 1)
    && bind($listener, pack('Sna4x8', $inet, $port, pack('C4', 127, 0, 0, 1))) && listen($listener, 1024)) {
  print STDERR "The way to the network could not be opened on port $port: $!. Nothing was run.\n";
  exit 125;
}
my $command = $$;
my $child = fork;
if (!defined $child) { print STDERR "The way to the network could not be opened: $!. Nothing was run.\n"; exit 125; }
if ($child) {
  waitpid $child, 0;
  exec { $argv[0] } @argv;
  my $code = $! == $enoent ? 127 : 126;
  print STDERR "$argv[0]: $!\n";
  exit $code;
}
exit 0 if fork;
$0 = 'network-forwarder';
open STDIN, '<', '/dev/null'; open STDOUT, '>', '/dev/null'; open STDERR, '>', '/dev/null';
chdir '/';
$SIG{$_} = 'IGNORE' for qw(PIPE HUP INT QUIT);
my $size = 65536;
# By descriptor: its handle, the other end, what is to be written to it, and what it has ended.
my %ends;
my ($reads, $writes) = ('', '');
vec($reads, fileno $listener, 1) = 1;
sub drop {
  # A copy: the ends are taken out of what the arguments refer to.
  my @gone = @_;
  for my $end (@gone) {
    next unless $end && delete $ends{$end->{fd}};
    vec($reads, $end->{fd}, 1) = 0; vec($writes, $end->{fd}, 1) = 0;
    close $end->{handle};
    # The two ends refer to each other, so nothing else would free them.
    delete $end->{other};
  }
}
sub finish {
  my ($end) = @_;
  return if $end->{shut} || length $end->{out} || !$end->{other}{eof};
  shutdown $end->{handle}, 1;
  $end->{shut} = 1;
  drop($end, $end->{other}) if $end->{other}{shut};
}
sub flush {
  my ($end) = @_;
  my $sent = syswrite $end->{handle}, $end->{out};
  if (!defined $sent) { return if $! == $eagain || $! == $eintr; return drop($end, $end->{other}); }
  substr($end->{out}, 0, $sent, '');
  my $more = length $end->{out} ? 1 : 0;
  vec($writes, $end->{fd}, 1) = $more;
  # What comes is read again once there is room for it.
  vec($reads, $end->{other}{fd}, 1) = 1 if !$more && !$end->{other}{eof};
  finish($end);
}
sub fill {
  my ($end) = @_;
  my $other = $end->{other};
  my $got = sysread $end->{handle}, $other->{out}, $size, length $other->{out};
  if (!defined $got) { return if $! == $eagain || $! == $eintr; return drop($end, $other); }
  if ($got == 0) { $end->{eof} = 1; vec($reads, $end->{fd}, 1) = 0; return finish($other); }
  vec($reads, $end->{fd}, 1) = 0;
  vec($writes, $other->{fd}, 1) = 1;
  flush($other);
}
sub admit {
  my ($client, $proxy);
  return unless accept $client, $listener;
  return unless socket($proxy, $unix, $stream, 0) && connect($proxy, pack('Sa108', $unix, $path));
  my @both = map { +{ handle => $_, fd => fileno $_, out => '', eof => 0, shut => 0 } } $client, $proxy;
  ($both[0]{other}, $both[1]{other}) = ($both[1], $both[0]);
  for my $end (@both) {
    fcntl $end->{handle}, $setfl, $rdwr_nonblock;
    $ends{$end->{fd}} = $end;
    vec($reads, $end->{fd}, 1) = 1;
  }
}
while (1) {
  my $found = select my $r = $reads, my $w = $writes, undef, 1;
  # The first process of a box may wait for all others. Whatever outlives the command is stopped anyway.
  exit 0 if $found == 0 && !kill 0, $command;
  next if $found <= 0;
  admit() if vec $r, fileno $listener, 1;
  for my $fd (keys %ends) {
    my $end = $ends{$fd} or next;
    flush($end) if vec($w, $fd, 1);
    fill($end) if $ends{$fd} && $ends{$fd} == $end && vec($r, $fd, 1);
  }
}
`

/** For systems without Perl: Node cannot become the command, so it starts it, and ends as it ends. */
export const NODE_FORWARDER = `
const { spawn } = require('node:child_process')
const net = require('node:net')
const [port, path, command, ...args] = process.argv.slice(1)
const server = net.createServer({ allowHalfOpen: true }, client => {
  const proxy = net.connect({ path, allowHalfOpen: true })
  for (const [one, other] of [[client, proxy], [proxy, client]]) {
    one.on('error', () => other.destroy())
    one.on('close', () => one.readableEnded || other.destroy())
    one.pipe(other)
  }
})
server.on('error', fault => {
  console.error('The way to the network could not be opened on port ' + port + ': ' + fault.message + '. Nothing was run.')
  process.exit(125)
})
server.listen({ port: Number(port), host: '127.0.0.1', backlog: 1024 }, () => {
  const child = spawn(command, args, { stdio: 'inherit' })
  for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']) process.on(name, () => child.kill(name))
  child.on('error', fault => {
    console.error(command + ': ' + fault.message)
    process.exit(fault.code === 'ENOENT' ? 127 : 126)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
})
`
