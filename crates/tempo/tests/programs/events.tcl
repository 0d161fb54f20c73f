# An event loop with timers at 50 Hz, by the clock in microseconds.
set begun [clock microseconds]
set k 0
proc tick {} {
    global begun k done
    set x 0.0
    for {set i 0} {$i < 3000} {incr i} { set x [expr {$x + sin($i)}] }
    incr k
    set due [expr {$begun + $k * 20000}]
    if {$k > 50} { set done 1; return }
    set left [expr {$due - [clock microseconds]}]
    after [expr {max(0, int(ceil($left / 1000.0)))}] tick
}
tick
vwait done
puts "[expr {([clock microseconds] - $begun) * 1e-6}] 1.0"
