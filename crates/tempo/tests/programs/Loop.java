// A scheduled executor at 100 Hz, fixed rate, by System.nanoTime.
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

public class Loop {
    static double state;

    public static void main(String[] arguments) throws Exception {
        var executor = Executors.newScheduledThreadPool(1);
        var left = new CountDownLatch(100);
        long begun = System.nanoTime();
        executor.scheduleAtFixedRate(() -> {
            for (int i = 0; i < 2000; i++) state = Math.sin(state + i);
            left.countDown();
        }, 10, 10, TimeUnit.MILLISECONDS);
        left.await();
        double elapsed = (System.nanoTime() - begun) * 1e-9;
        executor.shutdownNow();
        System.out.println(elapsed + " 1.0");
    }
}
