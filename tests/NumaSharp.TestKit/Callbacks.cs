using NumaSharp.Core;

namespace NumaSharp.TestKit;

/// <summary>Calls of the library's to what tests have hung in: loggers, handlers of fallbacks, callbacks of loops.</summary>
public static class Callbacks
{
    /// <summary>Waits until the library has made those that it had to make by now.</summary>
    public static void Wait() =>
        Assert.True(Outbox.Instance.Flush(TestKit.Wait.Limit), "A logger or a handler of a test does not return.");
}
