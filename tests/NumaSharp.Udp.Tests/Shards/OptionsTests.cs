
namespace NumaSharp.Udp.Tests.Sharding;

public sealed class OptionsTests : IDisposable
{
    private const string CoalesceDelays = "zero, or from 00:00:00.0000100 to 00:00:00.1000000.";

    private readonly UdpMachine _machine = new();

    public static TheoryData<string, object, string> Wrong => new()
    {
        { nameof(NumaUdpOptions.Shards), -1, "from 0 to 4096." },
        { nameof(NumaUdpOptions.Shards), 4097, "from 0 to 4096." },
        { nameof(NumaUdpOptions.BatchSize), 0, "from 1 to 1024." },
        { nameof(NumaUdpOptions.BatchSize), 1025, "from 1 to 1024." },
        { nameof(NumaUdpOptions.ReceiveBufferSize), -1, "0 or from 4096 to 536870912." },
        { nameof(NumaUdpOptions.ReceiveBufferSize), 4095, "0 or from 4096 to 536870912." },
        { nameof(NumaUdpOptions.SendBufferSize), (512 << 20) + 1, "0 or from 4096 to 536870912." },
        { nameof(NumaUdpOptions.TrafficClass), 256, "from 0 to 255." },
        { nameof(NumaUdpOptions.TimeToLive), 256, "from 0 to 255." },
        { nameof(NumaUdpOptions.MulticastTimeToLive), -1, "from 0 to 255." },
        { nameof(NumaUdpOptions.CoalesceDelay), TimeSpan.FromMicroseconds(9), CoalesceDelays },
        { nameof(NumaUdpOptions.CoalesceDelay), TimeSpan.FromSeconds(1), CoalesceDelays },
        { nameof(NumaUdpOptions.BusyPoll), TimeSpan.FromSeconds(2), "zero, or from 00:00:00.0000010 to 00:00:01." },
        { nameof(NumaUdpOptions.Steering), (NumaUdpSteering)2, "Cpu or Kernel." },
    };

    public void Dispose() => _machine.Dispose();

    [Theory]
    [MemberData(nameof(Wrong), DisableDiscoveryEnumeration = true)]
    public void Bind_WrongOption_NamesIt(string name, object value, string allowed)
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(
            () => _machine.Bind(options => typeof(NumaUdpOptions).GetProperty(name)!.SetValue(options, value)));
        Assert.Equal((name, value), (exception.ParamName, exception.ActualValue));
        Assert.StartsWith($"{name} must be {allowed}", exception.Message, StringComparison.Ordinal);
        Assert.Empty(_machine.Factory.Sockets);
    }

    [Fact]
    public void Bind_BufferThatTheKernelDoesNotGrant_SaysWhatThereIs()
    {
        const int Largest = 512 << 20;
        var server = _machine.Bind(static options => options.ReceiveBufferSize = Largest);
        var fallback = Assert.Single(_machine.Fallbacks.Current);
        Assert.Equal("udp.receivebuffer", fallback.Feature);
        Assert.Contains(
            $"is {server.ReceiveBufferSize} bytes instead of {Largest}", fallback.ToString(), StringComparison.Ordinal);
        Assert.InRange(server.ReceiveBufferSize, 2_000, Largest - 1);
    }
}
