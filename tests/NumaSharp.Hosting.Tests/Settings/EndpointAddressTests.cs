using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Transport;

public sealed class EndpointAddressTests
{
    [Theory]
    [InlineData("127.0.0.1:80", "127.0.0.1:80", true)]
    [InlineData("127.0.0.1:80", "127.0.0.1:81", false)]
    [InlineData("127.0.0.1:80", "127.0.0.2:80", false)]
    [InlineData("127.0.0.1:0", "127.0.0.1:0", true)]
    [InlineData("[::1]:80", "[::1]:80", true)]
    [InlineData("[::]:80", "[::]:80", true)]
    [InlineData("[::]:80", "0.0.0.0:80", false)]
    [InlineData("*:80", "[::]:80", true)]
    [InlineData("*:80", "10.0.0.1:80", true)]
    [InlineData("*:80", "10.0.0.1:8080", false)]
    [InlineData("localhost:80", "127.0.0.1:80", true)]
    [InlineData("localhost:80", "[::1]:80", true)]
    [InlineData("localhost:80", "0.0.0.0:80", false)]
    public void Matches_TcpEndPoint_ByAddressAndPort(string address, string endPoint, bool isMatch)
    {
        Assert.True(EndpointAddress.TryParse(address, out var parsed));
        Assert.Equal(isMatch, parsed!.Matches(IPEndPoint.Parse(endPoint)));
    }

    [Fact]
    public void Matches_UnixSocketAndFileHandle_ByNameAndNumber()
    {
        Assert.True(EndpointAddress.TryParse("/run/app.sock", out var path));
        Assert.True(EndpointAddress.TryParse("@app", out var name));
        Assert.True(EndpointAddress.TryParse("fd:3", out var handle));
        Assert.Multiple(
            () => Assert.True(path!.Matches(new UnixDomainSocketEndPoint("/run/app.sock"))),
            () => Assert.False(path!.Matches(new UnixDomainSocketEndPoint("/run/other.sock"))),
            () => Assert.True(name!.Matches(new UnixDomainSocketEndPoint("\0app"))),
            () => Assert.True(handle!.Matches(new FileHandleEndPoint(3, FileHandleType.Auto))),
            () => Assert.False(handle!.Matches(new FileHandleEndPoint(4, FileHandleType.Auto))),
            () => Assert.False(handle!.Matches(new IPEndPoint(IPAddress.Any, 3))));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("/")]
    [InlineData("@")]
    [InlineData("80")]
    [InlineData("127.0.0.1")]
    [InlineData("127.0.0.1:")]
    [InlineData("127.0.0.1:65536")]
    [InlineData("127.0.0.1:-1")]
    [InlineData("::1:80")]
    [InlineData("http://127.0.0.1:80")]
    [InlineData("example.com:80")]
    [InlineData("fd:")]
    [InlineData("fd:-1")]
    [InlineData("fd:three")]
    public void TryParse_AnythingElse_IsRefused(string? text) => Assert.False(EndpointAddress.TryParse(text, out _));
}
