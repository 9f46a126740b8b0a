// Copyright (c) 2026, kafkaops.groups contributors
// GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerToken;
import org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallback;

/**
 * Accepts the tokens of Amazon MSK's access control with IAM: a URL of kafka-cluster:Connect, signed by AWS Signature
 * Version 4 with the secret key of one user, who is in the options of the login module: region, access_key, secret_key,
 * and the name as unsecuredLoginStringClaim_sub. Writes to the broker's output why it refuses a token.
 */
public class MskTokenValidator implements AuthenticateCallbackHandler {
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private Map<String, ?> options;

    @Override
    public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
        options = entries.get(0).getOptions();
    }

    @Override
    public void close() {
    }

    @Override
    public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
        for (Callback callback : callbacks) {
            if (!(callback instanceof OAuthBearerValidatorCallback)) {
                throw new UnsupportedCallbackException(callback);
            }
            OAuthBearerValidatorCallback asked = (OAuthBearerValidatorCallback) callback;
            try {
                asked.token(validated(asked.tokenValue()));
            } catch (IllegalArgumentException | GeneralSecurityException exc) {
                System.out.println("MskTokenValidator refused a token: " + exc.getMessage());
                asked.error("Access denied", null, null);
            }
        }
    }

    private Token validated(String text) throws GeneralSecurityException {
        URI url = URI.create(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8));
        TreeMap<String, String> query = new TreeMap<>();
        for (String pair : url.getRawQuery().split("&")) {
            String[] parts = pair.split("=", 2);
            query.put(decode(parts[0]), decode(parts[1]));
        }
        String region = option("region");
        expect("scheme", "https", url.getScheme());
        expect("host", "kafka." + region + ".amazonaws.com", url.getHost());
        expect("path", "/", url.getPath());
        expect("Action", "kafka-cluster:Connect", query.get("Action"));
        expect("X-Amz-Algorithm", "AWS4-HMAC-SHA256", query.get("X-Amz-Algorithm"));
        expect("X-Amz-SignedHeaders", "host", query.get("X-Amz-SignedHeaders"));
        String date = query.get("X-Amz-Date");
        String scope = date.substring(0, 8) + "/" + region + "/kafka-cluster/aws4_request";
        expect("X-Amz-Credential", option("access_key") + "/" + scope, query.get("X-Amz-Credential"));
        Instant start = DATE.parse(date, Instant::from);
        Instant end = start.plusSeconds(Long.parseLong(query.get("X-Amz-Expires")));
        Instant now = Instant.now();
        if (now.isBefore(start.minusSeconds(60)) || !now.isBefore(end)) {
            throw new IllegalArgumentException("valid from " + start + " to " + end);
        }
        expect("X-Amz-Signature", signature(url.getHost(), query, date, scope), query.get("X-Amz-Signature"));
        return new Token(text, option("unsecuredLoginStringClaim_sub"), start.toEpochMilli(), end.toEpochMilli());
    }

    private String signature(String host, TreeMap<String, String> query, String date, String scope)
            throws GeneralSecurityException {
        // the client adds User-Agent after it has signed
        String signed = query.entrySet().stream()
            .filter(one -> !one.getKey().equals("X-Amz-Signature") && !one.getKey().equals("User-Agent"))
            .map(one -> encode(one.getKey()) + "=" + encode(one.getValue()))
            .collect(Collectors.joining("&"));
        String request = "GET\n/\n" + signed + "\nhost:" + host + "\n\nhost\n" + sha256("");
        String words = "AWS4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + sha256(request);
        byte[] key = ("AWS4" + option("secret_key")).getBytes(StandardCharsets.UTF_8);
        for (String part : scope.split("/")) {
            key = hmac(key, part);
        }
        return HexFormat.of().formatHex(hmac(key, words));
    }

    private String option(String name) {
        return (String) options.get(name);
    }

    private static void expect(String name, String expected, String found) {
        if (!expected.equals(found)) {
            throw new IllegalArgumentException(name + " is " + found);
        }
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A").replace("%7E", "~");
    }

    private static String sha256(String text) throws GeneralSecurityException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] hmac(byte[] key, String text) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    }

    private record Token(String value, String principalName, Long startTimeMs, long lifetimeMs) implements OAuthBearerToken {
        @Override
        public Set<String> scope() {
            return Set.of();
        }
    }
}
