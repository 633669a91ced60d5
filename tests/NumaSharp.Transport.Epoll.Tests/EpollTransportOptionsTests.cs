namespace NumaSharp.Transport.Epoll.Tests;

public sealed class EpollTransportOptionsTests
{
    public static TheoryData<string, object> Refused => new()
    {
        { nameof(EpollTransportOptions.EpollBusyPoll), TimeSpan.FromSeconds(1.5) },
        { nameof(EpollTransportOptions.EpollBusyPoll), TimeSpan.FromTicks(9) },
        { nameof(EpollTransportOptions.EpollBusyPollBudget), -1 },
        { nameof(EpollTransportOptions.EpollBusyPollBudget), 65536 },
        { nameof(EpollTransportOptions.MaxReadBufferSize), 0L },
        { nameof(EpollTransportOptions.MaxWriteBufferSize), 0L },
        { nameof(EpollTransportOptions.Dispatch), (EpollDispatchMode)77 },
        { nameof(EpollTransportOptions.Steering), (EpollSteering)77 },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public void Validate_OutsideItsRange_SaysWhich(string name, object value)
    {
        var options = new EpollTransportOptions();
        typeof(EpollTransportOptions).GetProperty(name)!.SetValue(options, value);

        var refused = Assert.Throws<ArgumentOutOfRangeException>(options.Validate);
        Assert.Contains($"{name} must be ", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Validate_EndsOfTheRanges_AreAllowed()
    {
        new EpollTransportOptions { EpollBusyPoll = TimeSpan.FromMicroseconds(1), EpollBusyPollBudget = 65535 }.Validate();
        new EpollTransportOptions { EpollBusyPoll = TimeSpan.FromSeconds(1), EpollPreferBusyPoll = true }.Validate();
    }
}
