# A loop with sleeps of 10 ms, by Time::HiRes, and an alarm beside it.
use strict;
use warnings;
use Time::HiRes qw(time sleep usleep clock setitimer ITIMER_REAL);

my $alarms = 0;
$SIG{ALRM} = sub { $alarms++ };
my ($begun, $used, $slept, $x) = (time, clock, 0, 0);
for my $k (1 .. 80) {
    $x += sin($_) for 1 .. 4000;
    usleep(10_000);
    $slept += 0.01;
}
my ($elapsed, $computed) = (time - $begun, clock() - $used);
# An alarm interrupts a sleep at its virtual time.
setitimer(ITIMER_REAL, 0.05);
my $before = time;
sleep(1);
my $cut = time - $before;
die "an alarm of 0.05 s came after $cut s" unless $alarms == 1 && abs($cut - 0.05) < 0.005;
printf "%.6f %.6f\n", $elapsed, $computed + $slept;
