namespace NumaSharp.Playground.Benchmarks.Measurement;

/// <summary>Lets time pass, so that threads that look for more work give up and sleep.</summary>
internal static class Pause
{
    private static readonly ManualResetEvent s_never = new(initialState: false);

    public static void For(TimeSpan time) => s_never.WaitOne(time);
}
