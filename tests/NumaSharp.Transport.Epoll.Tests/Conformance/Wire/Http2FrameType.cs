namespace NumaSharp.Transport.Epoll.Tests.Conformance.Wire;

/// <summary>RFC 9113, section 6.</summary>
internal enum Http2FrameType : byte
{
    Data = 0,
    Headers = 1,
    ResetStream = 3,
    Settings = 4,
    Ping = 6,
    GoAway = 7,
    WindowUpdate = 8,
}
