using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace NumaSharp.Playground.Web.Addresses;

internal static class DevelopmentCertificate
{
    private static readonly TimeSpan s_clockSkew = TimeSpan.FromDays(1);
    private static readonly TimeSpan s_lifetime = TimeSpan.FromDays(30);

    /// <summary>A self-signed certificate for this machine; it is never written to a file.</summary>
    public static X509Certificate2 Create(TimeProvider time)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName("localhost");
        names.AddIpAddress(IPAddress.Loopback);
        names.AddIpAddress(IPAddress.IPv6Loopback);
        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(false, false, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.1", "TLS server")], true));
        var now = time.GetUtcNow();
        return request.CreateSelfSigned(now - s_clockSkew, now + s_lifetime);
    }
}
